import { NotUnderstoodError } from './not-understood.js';
import type { Source } from './source.js';
import type { ts } from './typescript.js';

/** What a name of a file was imported as. */
export interface Imported {
  /** The name that the other module exports; `default` for its default export. */
  readonly name: string;
  readonly from: string;
  readonly declaration: ts.ImportDeclaration;
}

/** Returns from where a name of the file comes; `undefined` if no import declares it. */
export function importOf(source: Source, localName: string): Imported | undefined {
  const { ts } = source;
  for (const declaration of source.imports()) {
    const from = specifierOf(declaration);
    const clause = declaration.importClause;
    if (clause?.name?.text === localName) return { name: 'default', from, declaration };
    const named = clause?.namedBindings;
    if (named === undefined || !ts.isNamedImports(named)) continue;
    const found = named.elements.find((each) => each.name.text === localName);
    if (found) return { name: (found.propertyName ?? found.name).text, from, declaration };
  }
  return undefined;
}

/** Returns whether an expression is a name that was imported from a module under this name, whatever the file calls it. */
export function isImported(source: Source, expression: ts.Node, name: string, from: string): boolean {
  if (!source.ts.isIdentifier(expression)) return false;
  const found = importOf(source, expression.text);
  return found?.name === name && found.from === from;
}

/** Returns whether the file imports anything from a module or one of its entry points. */
export function importsFrom(source: Source, packageName: string): boolean {
  return source.imports().some((each) => {
    const from = specifierOf(each);
    return from === packageName || from.startsWith(`${packageName}/`);
  });
}

/** Imports a name, unless the file does so already. @throws NotUnderstoodError if the name means something else in the file */
export function addImport(source: Source, name: string, from: string): void {
  const present = importOf(source, name);
  if (present?.name === name && present.from === from) return;
  if (present !== undefined || declares(source, name))
    throw new NotUnderstoodError(`${source.path} has another ${name} already.`);
  const { quote, semicolon, eol } = source.style;
  const line = `import { ${name} } from ${quote}${from}${quote}${semicolon}`;
  const last = source.imports().at(-1);
  if (last === undefined) {
    const start = source.tree.statements[0]?.getFullStart() ?? 0;
    source.edit(start, start, line + eol);
    return;
  }
  const end = source.endWithComment(last);
  source.edit(end, end, eol + line);
}

/** Removes a name from the imports of a file, if nothing else uses it. */
export function removeUnusedImport(source: Source, localName: string, usedBy: ts.Node): void {
  const { ts } = source;
  const declaration = importOf(source, localName)?.declaration;
  const named = declaration?.importClause?.namedBindings;
  if (declaration === undefined || named === undefined || !ts.isNamedImports(named)) return;
  for (const node of source.nodes())
    if (ts.isIdentifier(node) && node.text === localName && node !== usedBy && !isWithin(node, declaration))
      return;
  const rest = named.elements.filter((each) => each.name.text !== localName);
  if (rest.length === 0 && declaration.importClause?.name === undefined) {
    source.edit(declaration.getStart(), declaration.getEnd(), '');
    return;
  }
  const index = named.elements.findIndex((each) => each.name.text === localName);
  const gone = named.elements[index];
  const next = named.elements[index + 1];
  const before = named.elements[index - 1];
  if (gone === undefined) return;
  if (next) source.edit(gone.getStart(), next.getStart(), '');
  else if (before) source.edit(before.getEnd(), gone.getEnd(), '');
}

function declares(source: Source, name: string): boolean {
  const { ts } = source;
  for (const node of source.nodes())
    if ((ts.isClassDeclaration(node) || ts.isVariableDeclaration(node)) && node.name?.getText() === name)
      return true;
  return false;
}

function isWithin(node: ts.Node, ancestor: ts.Node): boolean {
  return node.getStart() >= ancestor.getStart() && node.getEnd() <= ancestor.getEnd();
}

/** Returns the text of an import's module. */
export function specifierOf({ moduleSpecifier }: ts.ImportDeclaration): string {
  return moduleSpecifier.getText().slice(1, -1);
}
