import ts from 'typescript';
import { isAssignment, isCounting, isMember } from './foreign-writes.js';
import { pathOf } from './sources.js';

/** Methods that change what they are called on. */
const CHANGING = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift'.split(' '),
);

/**
 * Variables of modules that change while the process runs: `let`, and constants whose content the module changes.
 * Such state belongs to no object, so two apps in one process share it, and two copies of a module don't.
 *
 * @returns `file: name` for each
 */
export function mutableState(sources: readonly ts.SourceFile[]): string[] {
  return sources.flatMap((source) => {
    const lists = source.statements
      .filter(ts.isVariableStatement)
      .map(({ declarationList }) => declarationList);
    const changed = changedNames(source);
    return lists.flatMap((list) => {
      const isConstant = (list.flags & ts.NodeFlags.Const) !== 0;
      const names = list.declarations.map(({ name }) => name.getText(source));
      return names
        .filter((name) => !isConstant || changed.has(name))
        .map((name) => `${pathOf(source)}: ${name}`);
    });
  });
}

/** Names whose content a source changes by a method or by an assignment to a member. */
function changedNames(source: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  const note = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) names.add(node.text);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      if (CHANGING.has(name.text)) note(expression);
    }
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) note(holderOf(node.left));
    if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) {
      if (isCounting(node.operator)) note(holderOf(node.operand));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** `a` of `a[0].b`; anything else as it is. */
function holderOf(node: ts.Node): ts.Node {
  return isMember(node) ? holderOf(node.expression) : node;
}
