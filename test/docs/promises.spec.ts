import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { MarkdownPage, ROOT, type Table } from './markdown.js';

const HEADING = 'Promises and their tests';
const NONE = '–';
/** In these, a promise is one of safety: its test is worth nothing without a control. */
const NEEDS_CONTROLS = ['Uniqueness'];
const COLUMNS = ['Promise', 'Test', 'Control'];

/** `path` and the title of a test in it. */
interface Reference {
  readonly path: string;
  readonly title: string;
}

/** The tables from the heading to the end of the page or the next heading of its level. */
function tablesOf(page: MarkdownPage): Table[] {
  const from = page.text.indexOf(`\n## ${HEADING}\n`);
  if (from < 0) return [];
  const to = page.text.indexOf('\n## ', from + 1);
  return [...new MarkdownPage(`${page.text.slice(from, to < 0 ? undefined : to)}\n`).tables];
}

/** The references of a cell; undefined for a part that is none. */
function referencesIn(cell: string): (Reference | undefined)[] {
  return cell.split('<br>').map((part) => {
    const [, path, title] = /^`([^`]+)` › (.+)$/.exec(part.trim()) ?? [];
    return path === undefined || title === undefined ? undefined : { path, title };
  });
}

/** The text of a literal as a title names it: what is computed is a dot of three. */
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
  if (!existsSync(join(ROOT, path))) return [`${path} does not exist`];
  return titlesIn(path).has(title) ? [] : [`${path} has no "${title}"`];
}

/** What is wrong with the tables of a page, in words; empty when all is well. */
function problemsOf(page: MarkdownPage): string[] {
  return tablesOf(page).flatMap(({ heading, columns, rows }) => {
    if (String(columns) !== String(COLUMNS)) return [`"${heading}" has the columns ${columns.join(', ')}`];
    return rows.flatMap(([promise = '', test = '', control = '']) => {
      const needsControl = NEEDS_CONTROLS.includes(heading);
      const cells = control === NONE && !needsControl ? [test] : [test, control];
      return cells
        .flatMap((cell) => referencesIn(cell).flatMap((reference) => problemOf(reference, cell)))
        .map((problem) => `${heading}, "${promise}": ${problem}`);
    });
  });
}

const safety = MarkdownPage.read('docs/SAFETY.md');

describe('the table of promises', () => {
  it('names tests and controls that exist, for every promise', () => {
    expect(problemsOf(safety)).toEqual([]);
  });

  it('has rows, in several groups, and no promise twice', () => {
    const tables = tablesOf(safety);
    expect(tables.length).toBeGreaterThan(8);
    for (const { heading, rows } of tables) {
      const promises = rows.map(([promise]) => promise);
      expect([heading, new Set(promises).size]).toEqual([heading, promises.length]);
      expect(rows.length).toBeGreaterThan(0);
    }
    expect(tables.map(({ heading }) => heading)).toEqual(expect.arrayContaining(NEEDS_CONTROLS));
  });

  it('names every spec of the repository that tries a fault or a recipe', () => {
    const named = new Set(
      tablesOf(safety).flatMap(({ rows }) =>
        rows.flatMap(([, test = '', control = '']) =>
          [...referencesIn(test), ...referencesIn(control)].map((reference) => reference?.path),
        ),
      ),
    );
    const folders = [
      'test/operations',
      'test/lease',
      'test/faults/scenarios',
      'test/integration/redis-store',
    ];
    const missing = folders.flatMap((folder) =>
      ts.sys
        .readDirectory(join(ROOT, folder), ['.ts'], undefined, ['*.ts'], 1)
        .map((path) => path.slice(ROOT.length))
        .filter((path) => /\.spec\.ts$|scenarios\/(?!index)/.test(path) && !named.has(path)),
    );
    expect(missing).toEqual([]);
  });
});

describe('the check of the table', () => {
  const TEST = '`test/lease/outage.proof.spec.ts` › never stops, and makes the same IDs as a newcomer';

  const pageWith = (heading: string, test: string, control: string, columns = COLUMNS): MarkdownPage =>
    new MarkdownPage(
      `\n## ${HEADING}\n\n### ${heading}\n\n| ${columns.join(' | ')} |\n| --- | --- | --- |\n` +
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
      'a text of the file that is no title',
      'Order',
      '`test/lease/outage.proof.spec.ts` › is killed and loses everything at all',
      NONE,
      'has no ',
    ],
    ['a control that is not there', 'Order', TEST, '`test/model/scopes.mjs` › NO_RULE', 'has no "NO_RULE"'],
    ['no test', 'Order', NONE, NONE, 'is not `path` › title'],
    ['no control of a promise of safety', 'Uniqueness', TEST, NONE, 'is not `path` › title'],
  ])('sees %s', (_, heading, test, control, problem) => {
    const problems = problemsOf(pageWith(heading, test, control));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('sees other columns', () => {
    expect(problemsOf(pageWith('Order', TEST, TEST, ['Promise', 'Control', 'Test']))).toHaveLength(1);
  });
});
