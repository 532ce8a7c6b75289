// `npm run docs:reference` writes the parts of the pages that are made from the code: tables of options, errors, the list of pages.
// Such a part stands between `<!-- options LeaseOptions: windowMs -->` and `<!-- end -->`; the options after the colon come first.
// With `--check` it writes nothing, and fails if a page is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { format } from 'oxfmt';
import ts from 'typescript';
import { SECTIONS, titleOf } from '../../site/sidebar.js';
import { entryPointsOf, PACKAGE_FOLDERS } from '../support/entry-points.mjs';
import { compilerOptions } from './compiler-options.js';
import { MarkdownPage, ROOT } from './markdown.js';
import { DOCS, pagePath } from './pages.js';
import { MORE_ABOUT_ERRORS, SHARED_OPTIONS, TYPE_SECTIONS } from './reference-links.js';

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
    if (kind === 'options') return optionsPart(argument, explained, path);
    if (kind === 'errors')
      return errors
        .filter(({ file }) => file === argument)
        .map(sectionOf)
        .join('\n\n');
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

/** A table, below it the notes, and then the lists of choices. A note or a list stands once on a page. */
function optionsPart(argument: string, explained: Set<string>, page: string): string {
  const [interfaceName = '', leading = ''] = argument.split(': ');
  const type = [...exported.keys()].find(({ name }) => name === interfaceName);
  if (!type) throw new Error(`No entry point exports ${interfaceName}`);
  const members = membersOf(checker.getDeclaredTypeOfSymbol(type));
  const shared = sharedSection(type, page);
  const isElsewhere = (member: ts.Symbol): boolean =>
    shared !== undefined && ownerOf(member) === shared.owner;
  const own = members.filter((member) => !fileOf(member).includes('/node_modules/') && !isElsewhere(member));
  const first = leading.split(', ').toReversed();
  const rank = ({ name, isRequired }: Option): number => -2 * first.indexOf(name) - Number(isRequired);
  const options = own
    .map((member) => optionOf(member, page))
    .toSorted((one, other) => rank(one) - rank(other));
  const rows = options.map(({ cells }) => cells);
  const elsewhere = members.filter(isElsewhere).map(({ name }) => code(name));
  if (shared && elsewhere.length > 0) rows.push([elsewhere.join(', '), shared.link, NONE, 'The database']);
  const foreign = members
    .filter((member) => !own.includes(member) && !isElsewhere(member))
    .map(({ name }) => code(name));
  if (foreign.length > 0) rows.push([foreign.join(', '), 'as in TypeORM', NONE, "TypeORM's own options"]);
  const columns = ['Option', 'Values', 'Default', 'What it decides'];
  const isNew = (text = ''): boolean => text !== '' && !explained.has(text) && explained.add(text).size > 0;
  const notes = options.flatMap(({ note }) => note ?? []).filter(isNew);
  const choices = options.filter(({ list }) => isNew(list));
  return [
    table(columns, ...rows),
    notes.join('\n'),
    ...choices.map(({ name, list }) => `### ${name}\n\n${list?.replaceAll(/^- `(\w+)`/gm, "- `'$1'`")}`),
  ].join('\n\n');
}

/** The base type whose options another section lists, and a link to that section; `undefined` on the page of that section. */
function sharedSection(type: ts.Symbol, page: string): { owner: string; link: string } | undefined {
  const bases = checker.getDeclaredTypeOfSymbol(type).getBaseTypes() ?? [];
  const owner =
    bases.map(({ symbol }) => symbol.name).find((name) => Object.hasOwn(SHARED_OPTIONS, name)) ?? '';
  const [path = '', anchor = ''] = (SHARED_OPTIONS[owner] ?? '').split('#');
  if (path === '' || join('docs', path) === page) return undefined;
  const { headings, anchors } = MarkdownPage.read(`docs/${path}`);
  const link = `as in [${headings[anchors.indexOf(anchor)]}](${hrefFrom(page, `${path}#${anchor}`)})`;
  return { owner, link };
}

/** The name of the interface that declares a member. */
function ownerOf(member: ts.Symbol): string | undefined {
  const parent = member.declarations?.[0]?.parent;
  return parent && ts.isInterfaceDeclaration(parent) ? parent.name.text : undefined;
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

function optionOf(member: ts.Symbol, page: string): Option {
  const { name } = member;
  const [declaration] = member.declarations ?? [];
  if (!declaration || !ts.isPropertySignature(declaration) || !declaration.type)
    throw new Error(`${name} is not declared as an option`);
  const { summary, rest, lists, bounds } = comment(member.getDocumentationComment(checker));
  const isRequired = declaration.questionToken === undefined;
  const tag = member.getJsDocTags(checker).find((each) => each.name === 'defaultValue');
  const defaultValue = isRequired ? 'required' : comment(tag?.text).summary;
  const type = declaration.type
    .getText()
    .replaceAll(/\breadonly |(?<=\s)\s+/g, '')
    .replaceAll(/\s/g, ' ');
  if (!summary) throw new Error(`${name} has no TSDoc`);
  if (!defaultValue) throw new Error(`${name} has no @defaultValue. Write "none" if it has no default.`);
  if (type === 'number' && bounds === undefined) throw new Error(`${name} has no line "Bounds: …."`);
  const { texts, list } = choicesOf(declaration.type);
  const parts = list ? [] : type.split(' | ');
  const links = parts.flatMap((part) => {
    const section = TYPE_SECTIONS[part];
    return section === undefined ? [] : `[${code(part)}](${hrefFrom(page, section)})`;
  });
  const typeCell = list
    ? code(texts.map((text) => `'${text}'`).join(' | '))
    : links.length === parts.length
      ? links.join(' or ')
      : code(type);
  const isPlain = bounds !== undefined && /^(number|string)$/.test(type);
  const values = isPlain ? bounds : [typeCell, ...(bounds === undefined ? [] : [bounds])].join(', ');
  const items = lists.flatMap((each) => each.split('\n')).map((item) => `\n  ${item}`);
  const note =
    rest.length + items.length > 0
      ? `- ${[`${code(name)}:`, ...rest].join(' ')}${items.join('')}`
      : undefined;
  return {
    name,
    isRequired,
    cells: [code(name), values, defaultValue, summary.replace(/\.$/, '')],
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
  readonly code: string;
  readonly isRetryable: boolean;
  /** The file that declares it, without its folder. */
  readonly file: string;
  /** When it is thrown. */
  readonly summary: string;
  readonly whatToDo: string;
  /** The class, its entry point and whether a call can succeed later. */
  readonly facts: string;
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
  // What the main entry point of a package exports is not listed again for the others.
  const [main = '', ...others] = exported.get(symbol)!;
  const entryPoints = main.includes('/') ? [main, ...others] : [main];
  const retry = isRetryable ? 'retryable' : 'not retryable';
  const [whatToDo = ''] = rest;
  return {
    code: id,
    isRetryable,
    file: fileOf(symbol).replace(/.*\//, ''),
    summary,
    whatToDo,
    facts: `${code(symbol.name)} from ${entryPoints.map(code).join(' and ')}, ${retry}`,
  };
}

function sectionOf({ code: id, summary, whatToDo, facts }: ErrorClass): string {
  const more = (MORE_ABOUT_ERRORS[id] ?? []).map(linkTo).join(' or ');
  const advice = `${withLinks(whatToDo)}${more && ` See ${more}.`}`;
  return [`### ${id}`, summary, `**What to do:** ${advice}`, `- ${facts}`].join('\n\n');
}

/** Links to the pages that a text names by their titles, as the other pages do. */
function withLinks(text: string): string {
  return text.replaceAll(/"([^"]+)" in the documentation/g, (named, title: string) => {
    const path = pagePath(title);
    return path === undefined ? named : linkTo(path.replace(/^docs\//, ''));
  });
}

/** A link from the page of errors, named by the title of the page or by the heading. */
function linkTo(target: string): string {
  const [path = '', anchor] = target.split('#');
  const { headings, anchors } = MarkdownPage.read(`docs/${path}`);
  const heading = headings[anchor === undefined ? 0 : anchors.indexOf(anchor)];
  if (heading === undefined) throw new Error(`${path} has no section #${anchor}`);
  return `[${heading}](${hrefFrom('docs/reference/errors.md', target)})`;
}

/** The address of a page below `docs/`, or of its section, as another page links to it. */
function hrefFrom(page: string, target: string): string {
  const href = relative(dirname(page), join('docs', target));
  const [path, anchor] = target.split('#');
  return join('docs', path!) === page && anchor !== undefined ? `#${anchor}` : href;
}

/** The codes by whether a call can succeed later. */
function codesPart(): string {
  const listOf = (wanted: boolean): string =>
    errors
      .filter(({ isRetryable }) => isRetryable === wanted)
      .map(({ code: id }) => `[${code(id)}](#${id.toLowerCase()})`)
      .join(', ');
  return [`**Retryable:** ${listOf(true)}`, `**Not retryable:** ${listOf(false)}`].join('\n\n');
}

/** The pages in the order of the sidebar. */
function pagesPart(): string {
  const link = (page: string): string => `[${titleOf(join(ROOT, 'docs'), page)}](${page}.md)`;
  return SECTIONS.map(({ text, pages }) => `- **${text}:** ${pages.map(link).join(', ')}`).join('\n');
}
