import ts from 'typescript';
import { IMPURE_GLOBALS } from './rules.js';

/** Something at a line of a source. */
export interface Found {
  readonly text: string;
  readonly line: number;
}

export interface SourceFacts {
  /** Module specifiers of every kind of import and re-export, type-only ones included. */
  readonly imports: readonly Found[];
  /** Names taken from other modules. */
  readonly importedNames: readonly Found[];
  /** Uses of {@link IMPURE_GLOBALS}. */
  readonly impurities: readonly Found[];
  /** Top-level statements that are no re-exports. */
  readonly ownStatements: readonly Found[];
}

/** Objects whose members are among the impure globals. */
const IMPURE_OBJECTS = new Set(
  [...IMPURE_GLOBALS].filter((name) => /^\w+\.\w+$/.test(name)).map((name) => name.split('.')[0]),
);

/** Reads one source by its syntax tree, so that comments and strings do not count. */
export function readSourceFacts(path: string, text: string): SourceFacts {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind);
  const facts = { imports: [] as Found[], importedNames: [] as Found[], impurities: [] as Found[] };
  const at = (node: ts.Node, what: string): Found => ({
    text: what,
    line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
  });

  function visit(node: ts.Node): void {
    const specifier = specifierOf(node);
    if (specifier !== undefined) facts.imports.push(at(node, specifier));
    if (ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) {
      facts.importedNames.push(at(node, (node.propertyName ?? node.name).text));
    }
    const impurity = impurityOf(node);
    if (impurity !== undefined) facts.impurities.push(at(node, impurity));
    ts.forEachChild(node, visit);
  }
  visit(source);

  const ownStatements = source.statements
    .filter((statement) => !(ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined))
    .map((statement) => at(statement, statement.getText(source).split('\n')[0] ?? ''));
  return { ...facts, ownStatements };
}

/** The module that `node` imports, if it is an import of any kind. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isExternalModuleReference(node)) return literal(node.expression);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literal(node.argument.literal);
  if (!ts.isCallExpression(node)) return undefined;
  const isDynamicImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
  if (!isDynamicImport && !isRequire) return undefined;
  return literal(node.arguments[0]) ?? '(computed)';
}

function literal(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** The impure global that `node` names as a value, whether it is called there or handed on. */
function impurityOf(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    const isNow = nameOf(node.expression) === 'Date' && (node.arguments?.length ?? 0) === 0;
    if (isNow) return 'new Date()';
  }
  if (ts.isIdentifier(node)) return isValue(node) && IMPURE_GLOBALS.has(node.text) ? node.text : undefined;
  const member = memberOf(node);
  if (member !== undefined && IMPURE_GLOBALS.has(member)) return member;
  return destructured(node);
}

/** `object.member` or `object['member']`, without a `globalThis.` in front. */
function memberOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return join(nameOf(node.expression), node.name.text);
  if (ts.isElementAccessExpression(node))
    return join(nameOf(node.expression), literal(node.argumentExpression));
  return undefined;
}

function join(object: string | undefined, member: string | undefined): string | undefined {
  if (object === undefined || member === undefined) return undefined;
  return object === 'globalThis' ? member : `${object}.${member}`;
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  const member = memberOf(node);
  return member?.includes('.') === true ? undefined : member;
}

/** `const { now } = Date`, and `const source = Math`: what becomes of the object cannot be followed. */
function destructured(node: ts.Node): string | undefined {
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return undefined;
  const object = nameOf(node.initializer);
  if (object === undefined || !IMPURE_OBJECTS.has(object)) return undefined;
  if (!ts.isObjectBindingPattern(node.name)) return `the whole of ${object}`;
  const members = node.name.elements.map(
    (element) => `${object}.${(element.propertyName ?? element.name).getText()}`,
  );
  return members.find((member) => IMPURE_GLOBALS.has(member));
}

/** Whether an identifier stands for a value, and not for a property, a declared name or a type. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent))
    return parent.getChildAt(0) === node;
  if (ts.isTypeQueryNode(parent) || ts.isTypeReferenceNode(parent)) return false;
  const isDeclaredName =
    'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return !isDeclaredName;
}
