import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { MarkdownPage, ROOT } from './markdown.js';
import { DOCS } from './pages.js';

/** The page that lists the others. */
const FIRST_PAGE = 'docs/explanation/promises.md';
const PAGES = DOCS.filter((path) => /^docs\/explanation\/promises(-[a-z-]+)?\.md$/.test(path));
const NONE = '–';
/** The promises under these headings are about uniqueness: a test without a control would prove nothing. */
const NEEDS_CONTROLS = ['Uniqueness', 'Steps of the proof', 'After a loss of writes'];
const COLUMNS = ['Promise', 'Test', 'Control'];

/** `path` and the title of a test in it. */
interface Reference {
  readonly path: string;
  readonly title: string;
}

/** The references of a cell; undefined for a part that is not a reference. */
function referencesIn(cell: string): (Reference | undefined)[] {
  return cell.split('<br>').map((part) => {
    const [, path, title] = /^`([^`]+)` › (.+)$/.exec(part.trim()) ?? [];
    return path === undefined || title === undefined ? undefined : { path, title };
  });
}

/** The text of a literal as a title names it, with `…` for what is computed. */
function textOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

/** Whether a call is one of `it`, `it.each(…)`, `describe` and the like. */
function isDeclaration(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'it' || callee.text === 'describe';
  if (ts.isPropertyAccessExpression(callee)) return isDeclaration(callee.expression);
  return ts.isCallExpression(callee) && isDeclaration(callee.expression);
}

const titles = new Map<string, ReadonlySet<string>>();

/**
 * What can be named in a file: titles of tests, cases of a contract, and the names of faults, controls, removals and
 * mutations.
 */
function titlesIn(path: string): ReadonlySet<string> {
  const known = titles.get(path);
  if (known) return known;
  const found = new Set<string>();
  const note = (text: string | undefined): void => void (text !== undefined && found.add(text));
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isDeclaration(node.expression)) note(textOf(node.arguments[0]));
    if (ts.isPropertyAssignment(node)) {
      if (ts.isStringLiteralLike(node.name) && ts.isFunctionLike(node.initializer)) note(node.name.text);
      if (ts.isIdentifier(node.name) && node.name.text === 'name') note(textOf(node.initializer));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest));
  titles.set(path, found);
  return found;
}

function problemOf(reference: Reference | undefined, cell: string): string[] {
  if (!reference) return [`"${cell}" is not \`path\` › title`];
  const { path, title } = reference;
  if (!existsSync(join(ROOT, path))) return [`${path} does not exist (the row names its test "${title}")`];
  return titlesIn(path).has(title) ? [] : [`${path} has no "${title}". Was the test renamed or moved?`];
}

/** What is wrong with the tables of a page, in words; empty if all is well. */
function problemsOf(page: MarkdownPage): string[] {
  return page.tables.flatMap(({ heading, columns, rows }) => {
    if (String(columns) !== String(COLUMNS)) {
      return [`"${heading}" has the columns ${columns.join(', ')} instead of ${COLUMNS.join(', ')}`];
    }
    return rows.flatMap(([promise = '', test = '', control = '']) => {
      const needsControl = NEEDS_CONTROLS.includes(heading);
      const cells = control === NONE && !needsControl ? [test] : [test, control];
      return cells
        .flatMap((cell) => referencesIn(cell).flatMap((reference) => problemOf(reference, cell)))
        .map((problem) => `${heading}, "${promise}": ${problem}`);
    });
  });
}

const pages = new Map(PAGES.map((path) => [path, MarkdownPage.read(path)]));
const tables = [...pages.values()].flatMap((page) => page.tables);

describe('the promises', () => {
  it.each(PAGES)('of %s name tests and controls that exist', (path) => {
    expect(problemsOf(pages.get(path)!)).toEqual([]);
  });

  it.each(PAGES)('of %s fill every table', (path) => {
    const page = pages.get(path)!;
    expect(page.tables.length).toBeGreaterThan(0);
    expect(page.tables.filter(({ rows }) => rows.length === 0)).toEqual([]);
  });

  it('are on several pages, all of which the first page lists', () => {
    const others = PAGES.filter((path) => path !== FIRST_PAGE);
    expect(others.length).toBeGreaterThan(1);
    expect(pages.get(FIRST_PAGE)!.links).toEqual(
      expect.arrayContaining(others.map((path) => path.slice('docs/explanation/'.length))),
    );
  });

  it('include those about uniqueness, and none twice', () => {
    const headings = tables.map(({ heading }) => heading);
    expect(headings).toEqual(expect.arrayContaining(NEEDS_CONTROLS));
    expect(headings.filter((heading, at) => headings.indexOf(heading) !== at)).toEqual([]);
    const promises = tables.flatMap(({ rows }) => rows.map(([promise]) => promise));
    expect(promises.filter((promise, at) => promises.indexOf(promise) !== at)).toEqual([]);
  });
});

describe('the check of a page', () => {
  const TEST = '`test/lease/outage.proof.spec.ts` › never stops, and makes the same IDs as a newcomer';

  const pageWith = (heading: string, test: string, control: string, columns = COLUMNS): MarkdownPage =>
    new MarkdownPage(
      `\n## ${heading}\n\n<!-- prettier-ignore -->\n| ${columns.join(' | ')} |\n| --- | --- | --- |\n` +
        `| IDs are unique | ${test} | ${control} |\n`,
    );

  it('lets right rows pass', () => {
    expect(problemsOf(pageWith('Uniqueness', TEST, TEST))).toEqual([]);
    expect(problemsOf(pageWith('Order', `${TEST}<br>${TEST}`, NONE))).toEqual([]);
  });

  it.each([
    ['a file that is not there', 'Order', '`test/none.spec.ts` › never stops', NONE, 'does not exist'],
    [
      'a title that is not there',
      'Order',
      '`test/lease/outage.proof.spec.ts` › never starts',
      NONE,
      'has no "never starts"',
    ],
    [
      'a text of the file that is not a title',
      'Order',
      '`test/lease/outage.proof.spec.ts` › is killed and loses everything at all',
      NONE,
      'has no ',
    ],
    ['a control that is not there', 'Order', TEST, '`test/model/scopes.mjs` › NO_RULE', 'has no "NO_RULE"'],
    ['no test', 'Order', NONE, NONE, 'is not `path` › title'],
    ['no control of a promise about uniqueness', 'Uniqueness', TEST, NONE, 'is not `path` › title'],
  ])('sees %s', (_, heading, test, control, problem) => {
    const problems = problemsOf(pageWith(heading, test, control));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('sees other columns', () => {
    expect(problemsOf(pageWith('Order', TEST, TEST, ['Promise', 'Control', 'Test']))).toHaveLength(1);
  });
});
