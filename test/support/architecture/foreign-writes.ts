import ts from 'typescript';
import { pathOf } from './sources.js';

/** Calls that change their first argument. */
const CHANGES_ARGUMENT =
  /^(Object\.(assign|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(set|defineProperty|deleteProperty|setPrototypeOf))$/;

/** Methods of arrays, maps and sets that change them. */
const CHANGES_ITSELF = /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)$/;

/**
 * Every place where a source changes a class, a prototype or an object that another package or the runtime made: a
 * library that does so changes the app that installs it. It asks the compiler for types, so that it does not matter what
 * the object is called.
 *
 * @param checker resolves no package, so that every value of a package has the type `any`
 * @returns `file: what is changed` for each
 */
export function foreignWrites(checker: ts.TypeChecker, sources: readonly ts.SourceFile[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const changed = changedBy(node);
      if (changed && isForeign(checker, bare(changed)))
        found.push(`${pathOf(source)}: ${bare(changed).getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** The member that is assigned to, or the object that is changed as a whole. */
function changedBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) return memberIn(node.left);
  if (ts.isDeleteExpression(node)) return memberIn(node.expression);
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    return isCounting(node.operator) ? memberIn(node.operand) : undefined;
  }
  if (!ts.isCallExpression(node)) return undefined;
  if (CHANGES_ARGUMENT.test(node.expression.getText())) return node.arguments[0];
  const method = bare(node.expression);
  if (!ts.isPropertyAccessExpression(method) || !CHANGES_ITSELF.test(method.name.text)) return undefined;
  return memberIn(method.expression);
}

function isForeign(checker: ts.TypeChecker, changed: ts.Expression): boolean {
  const owner = isMember(changed) ? bare(changed.expression) : changed;
  const isAny = (checker.getTypeAtLocation(owner).flags & ts.TypeFlags.Any) !== 0;
  return isAny || isGlobal(checker, rootOf(owner));
}

/** `Error`, `globalThis`, `process`: nothing that a source declares. */
function isGlobal(checker: ts.TypeChecker, root: ts.Expression): boolean {
  if (!ts.isIdentifier(root)) return false;
  const [declaration] = checker.getSymbolAtLocation(root)?.declarations ?? [];
  return declaration === undefined || isOfRuntime(declaration);
}

function isOfRuntime(declaration: ts.Declaration): boolean {
  return declaration.getSourceFile().fileName.includes('/node_modules/typescript/lib/');
}

export function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

export function isCounting(operator: ts.SyntaxKind): boolean {
  return operator === ts.SyntaxKind.PlusPlusToken || operator === ts.SyntaxKind.MinusMinusToken;
}

export function isMember(node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node);
}

function memberIn(expression: ts.Expression): ts.Expression | undefined {
  return isMember(bare(expression)) ? expression : undefined;
}

function rootOf(expression: ts.Expression): ts.Expression {
  const node = bare(expression);
  return isMember(node) ? rootOf(node.expression) : node;
}

/** Without parentheses, casts and `!`. */
function bare(expression: ts.Expression): ts.Expression {
  const isWrapped =
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isNonNullExpression(expression) ||
    ts.isSatisfiesExpression(expression);
  return isWrapped ? bare(expression.expression) : expression;
}
