// `npm run docs:reference` writes the parts of the pages that are made from the code: tables of options, errors, the list of pages.
// Such a part stands between `<!-- options LeaseOptions: windowMs -->` and `<!-- end -->`; the options after the colon come first.
// With `--check` it writes nothing, and fails if a page is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import ts from 'typescript';
import { SECTIONS, titleOf } from '../../site/sidebar.js';
import { entryPointsOf, PACKAGE_FOLDERS } from '../support/entry-points.mjs';
import { compilerOptions } from './compiler-options.js';
import { ROOT } from './markdown.js';
import { DOCS, pagePath } from './pages.js';
import { MORE_ABOUT_ERRORS, TYPE_SECTIONS } from './reference-links.js';

const PART = /^(<!-- (options|codes|errors|pages)(?: ([^>]*?))? -->\n)[\s\S]*?(<!-- end -->)$/gm;
const NONE = '–';

const sources = PACKAGE_FOLDERS.flatMap(entryPointsOf).map(({ name, source }) => ({
  name,
  path: join(ROOT, source),
}));
const paths = sources.map(({ path }) => path);
const program = ts.createProgram(paths, compilerOptions());
const checker = program.getTypeChecker();
/** Everything that users can import, with its entry points. */
const exported = new Map<ts.Symbol, string[]>();
for (const { name, path } of sources) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(path)!);
  for (const symbol of checker.getExportsOfModule(module!).map(declared))
    exported.set(symbol, [...(exported.get(symbol) ?? []), name]);
}
const errors = errorClasses();

for (const page of DOCS) await write(page);

async function write(path: string): Promise<void> {
  const before = readFileSync(join(ROOT, path), 'utf8');
  const explained = new Set<string>();
  const make = (kind: string, argument: string): string => {
    if (kind === 'options') return optionsPart(argument, explained);
    if (kind === 'errors')
      return errors.flatMap((error) => (error.file === argument ? error.section : [])).join('\n\n');
    return kind === 'codes' ? codesPart() : pagesPart();
  };
  const text = before.replaceAll(
    PART,
    (_, start: string, kind: string, argument = '', end: string) =>
      `${start}\n${make(kind, argument)}\n\n${end}`,
  );
  if (text === before) return;
  const settings = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as object;
  const { code: after } = await format(path, text, { ...settings, proseWrap: 'always' });
  if (after === before) return;
  if (!process.argv.includes('--check')) return writeFileSync(join(ROOT, path), after);
  process.stderr.write(`${path} is not current: npm run docs:reference\n`);
  process.exitCode = 1;
}

function declared(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function fileOf(symbol: ts.Symbol): string {
  return symbol.declarations?.[0]?.getSourceFile().fileName ?? '';
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(...rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return lines.toSpliced(1, 0, `|${' --- |'.repeat(rows[0]!.length)}`).join('\n');
}

/** The sentences and lists of a comment, and its line of bounds. Links become code: those of the compiler lead nowhere on a page. */
function comment(parts: ts.SymbolDisplayPart[] = []): {
  summary: string;
  rest: string[];
  lists: string[];
  bounds?: string;
} {
  const text = ts
    .displayPartsToString(parts)
    .replaceAll(/\{@link (\S+?)(?: \| ([^}]+))?\}/g, (_, name: string, shown = code(name)) => String(shown));
  const [, bounds] = /^Bounds: (.+)\.$/m.exec(text) ?? [];
  const [summary = '', ...others] = text
    .replace(/\n?^Bounds: .+\.$/m, '')
    .split(/\n{2,}/)
    .map((part) => part.replaceAll(/\s*\n\s*(?!- )/g, ' ').trim());
  const isList = (part: string): boolean => part.startsWith('- ');
  return { summary, bounds, rest: others.filter((part) => !isList(part)), lists: others.filter(isList) };
}

/** A table, below it what doesn't fit into a cell, and then each list of choices that the page doesn't have yet. */
function optionsPart(argument: string, explained: Set<string>): string {
  const [interfaceName = '', leading = ''] = argument.split(': ');
  const type = [...exported.keys()].find(({ name }) => name === interfaceName);
  if (!type) throw new Error(`No entry point exports ${interfaceName}`);
  const members = membersOf(checker.getDeclaredTypeOfSymbol(type));
  const own = members.filter((member) => !fileOf(member).includes('/node_modules/'));
  const first = leading.split(', ').toReversed();
  const rank = ({ name, isRequired }: Option): number => -2 * first.indexOf(name) - Number(isRequired);
  const options = own.map(optionOf).toSorted((one, other) => rank(one) - rank(other));
  const rows = options.map(({ cells }) => cells);
  const foreign = members.filter((member) => !own.includes(member)).map(({ name }) => code(name));
  if (foreign.length > 0)
    rows.push([foreign.join(', '), 'as in TypeORM', NONE, NONE, "TypeORM's own options"]);
  const choices = options.filter(({ list }) => list && !explained.has(list) && explained.add(list));
  return [
    table(['Option', 'Type', 'Default', 'Bounds', 'What it decides'], ...rows),
    options.flatMap(({ note }) => note ?? []).join('\n'),
    ...choices.map(({ name, list }) => `### ${name}\n\n${list?.replaceAll(/^- `(\w+)`/gm, "- `'$1'`")}`),
  ].join('\n\n');
}

/** Inherited members first. */
function membersOf(type: ts.Type): ts.Symbol[] {
  const inherited = new Set((type.getBaseTypes() ?? []).flatMap(membersOf).map(({ name }) => name));
  const isInherited = ({ name }: ts.Symbol): number => Number(inherited.has(name));
  return type.getProperties().toSorted((one, other) => isInherited(other) - isInherited(one));
}

interface Option {
  readonly name: string;
  readonly isRequired: boolean;
  readonly cells: string[];
  readonly note?: string;
  /** What each of its choices means. */
  readonly list?: string;
}

function optionOf(member: ts.Symbol): Option {
  const { name } = member;
  const [declaration] = member.declarations ?? [];
  if (!declaration || !ts.isPropertySignature(declaration) || !declaration.type)
    throw new Error(`${name} is not declared as an option`);
  const { summary, rest, lists, bounds = NONE } = comment(member.getDocumentationComment(checker));
  const isRequired = declaration.questionToken === undefined;
  const tag = member.getJsDocTags(checker).find((each) => each.name === 'defaultValue');
  const defaultValue = isRequired ? 'required' : comment(tag?.text).summary;
  const type = declaration.type
    .getText()
    .replaceAll(/\breadonly |(?<=\s)\s+/g, '')
    .replaceAll(/\s/g, ' ');
  if (!summary) throw new Error(`${name} has no TSDoc`);
  if (!defaultValue) throw new Error(`${name} has no @defaultValue. Write "none" if it has no default.`);
  if (type === 'number' && bounds === NONE) throw new Error(`${name} has no line "Bounds: …."`);
  const { texts, list } = choicesOf(declaration.type);
  const parts = list ? [] : type.split(' | ');
  const hasSections = parts.every((part) => Object.hasOwn(TYPE_SECTIONS, part));
  const links = parts.map((part) => `[${code(part)}](${TYPE_SECTIONS[part]})`).join(' or ');
  const typeCell = list
    ? code(texts.map((text) => `'${text}'`).join(' | '))
    : hasSections
      ? links
      : code(type);
  const items = lists.flatMap((each) => each.split('\n')).map((item) => `\n  ${item}`);
  const note =
    rest.length + items.length > 0
      ? `- ${[`${code(name)}:`, ...rest].join(' ')}${items.join('')}`
      : undefined;
  return {
    name,
    isRequired,
    cells: [code(name), typeCell, defaultValue, bounds, summary.replace(/\.$/, '')],
    note,
    list,
  };
}

/** The texts of a named union, and the list in its comment that explains them. */
function choicesOf(type: ts.TypeNode): { texts: string[]; list?: string } {
  const name = ts.isTypeReferenceNode(type) ? checker.getSymbolAtLocation(type.typeName) : undefined;
  const alias = name && declared(name);
  const union = alias?.declarations?.find(ts.isTypeAliasDeclaration)?.type;
  if (!alias || !union || !ts.isUnionTypeNode(union)) return { texts: [] };
  const literals = union.types.map((each) => checker.getTypeFromTypeNode(each));
  if (!literals.every((literal) => literal.isStringLiteral())) return { texts: [] };
  const [list] = comment(alias.getDocumentationComment(checker)).lists;
  return { texts: literals.map(({ value }) => value), list };
}

interface ErrorClass {
  readonly row: string[];
  /** The file that declares it, without its folder. */
  readonly file: string;
  readonly section: string;
}

/** The error classes that can be instantiated, in order of declaration. */
function errorClasses(): ErrorClass[] {
  const place = (symbol: ts.Symbol): string =>
    `${fileOf(symbol)} ${String(symbol.declarations?.[0]?.pos).padStart(9, '0')}`;
  return [...exported.keys()]
    .filter(({ name, flags }) => flags & ts.SymbolFlags.Class && name.endsWith('Error'))
    .toSorted((one, other) => place(one).localeCompare(place(other)))
    .flatMap(errorClass);
}

function errorClass(symbol: ts.Symbol): ErrorClass | [] {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const typeOf = (member: ts.Symbol | undefined): string =>
    member ? checker.typeToString(checker.getTypeOfSymbol(member)) : '';
  const [, id] = /^"(\w+)"$/.exec(typeOf(type.getProperty('code'))) ?? [];
  if (id === undefined) return [];
  const { summary, rest } = comment(symbol.getDocumentationComment(checker));
  if (rest.length !== 1)
    throw new Error(`The TSDoc of ${symbol.name} needs two paragraphs: when, and what to do`);
  const isRetryable = typeOf(type.getProperty('retryable')) === 'true';
  const properties = type
    .getProperties()
    .filter(({ name, valueDeclaration: node }) => !/^(code|retryable)$/.test(name) && isWithin(node, symbol))
    .map((member) => code(`${member.name}: ${typeOf(member)}`));
  const more = MORE_ABOUT_ERRORS[id];
  const facts = [
    `- Class: ${code(symbol.name)}, ${isRetryable ? 'retryable' : 'not retryable'}`,
    `- Exported from: ${exported.get(symbol)!.map(code).join(', ')}`,
    ...(properties.length > 0 ? [`- Properties: ${properties.join(', ')}`] : []),
  ];
  const whatToDo = `**What to do:** ${withLinks(rest[0]!)}${more ? ` See ${more}.` : ''}`;
  return {
    row: [`[${code(id)}](#${id.toLowerCase()})`, code(symbol.name), isRetryable ? 'yes' : 'no'],
    file: fileOf(symbol).replace(/.*\//, ''),
    section: [`### ${id}`, summary, whatToDo, facts.join('\n')].join('\n\n'),
  };
}

/** Whether the class itself declares a member, in its body or as a parameter of its constructor. */
function isWithin(node: ts.Node | undefined, symbol: ts.Symbol): boolean {
  return node !== undefined && (node === symbol.valueDeclaration || isWithin(node.parent, symbol));
}

/** Links to the pages that a text names by their titles, as the other pages do. */
function withLinks(text: string): string {
  return text.replaceAll(/"([^"]+)" in the documentation/g, (named, title: string) => {
    const path = pagePath(title);
    return path === undefined ? named : `[${title}](${path.replace(/^docs/, '..')})`;
  });
}

function codesPart(): string {
  return table(['Code', 'Class', 'Retryable'], ...errors.map(({ row }) => row));
}

/** The pages in the order of the sidebar. */
function pagesPart(): string {
  const link = (page: string): string => `[${titleOf(join(ROOT, 'docs'), page)}](${page}.md)`;
  return SECTIONS.map(({ text, pages }) => `- **${text}:** ${pages.map(link).join(', ')}`).join('\n');
}
