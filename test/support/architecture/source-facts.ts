import ts from 'typescript';

/** Something at a line of a source. */
export interface Found {
  readonly text: string;
  readonly line: number;
}

export interface SourceFacts {
  /** Module specifiers of every kind of import and re-export, type-only ones included. */
  readonly imports: readonly Found[];
  /** `new Date()` and `Date()`, which read the real clock. Lint rules find the other ways. */
  readonly readsOfTheTime: readonly Found[];
  /** Top-level statements that are no re-exports. */
  readonly ownStatements: readonly Found[];
}

/** Reads a source by its syntax tree, so that comments and strings do not count. */
export function factsOf(source: ts.SourceFile): SourceFacts {
  const facts = { imports: [] as Found[], readsOfTheTime: [] as Found[] };
  const at = (node: ts.Node, text: string): Found => ({ text, line: lineOf(node) });
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) facts.imports.push(at(node, specifier));
    if (readsTheTime(node)) facts.readsOfTheTime.push(at(node, 'new Date()'));
    ts.forEachChild(node, visit);
  };
  visit(source);
  const ownStatements = source.statements
    .filter((statement) => !(ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined))
    .map((statement) => at(statement, statement.getText(source).split('\n')[0] ?? ''));
  return { ...facts, ownStatements };
}

export function lineOf(node: ts.Node): number {
  const source = node.getSourceFile();
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
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

function readsTheTime(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  return node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0;
}
