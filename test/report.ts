// `npm run report` prints what people review and no test checks: sizes, ratios, exports, and titles that don't hold alone. It never fails.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { codeIn, MarkdownPage } from './docs/markdown.js';
import { PAGES } from './docs/pages.js';
import { OPTION_PAGES } from './docs/reference/options-page.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIBRARIES = readdirSync(join(ROOT, 'libs')).map((name) => `libs/${name}`);
const PACKAGES = [...LIBRARIES, 'apps/id-service', 'apps/orders', 'apps/shared'];
/** Words that begin the rest of a sentence whose subject stands elsewhere. */
const NOT_ALONE =
  /^(is|are|was|were|of|that|would|and|but|with|without|also|even|when|if|in|on|to|from|by|as|at|for)\b/;
const IS_TEST = /\.spec\.tsx?$|^test\/|^(libs|apps)\/[^/]+\/test\//;

interface CodeFile {
  readonly path: string;
  readonly text: string;
  /** Without blank lines and comments. */
  readonly lines: number;
}

// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', () => process.exit());
const print = (line = ''): void => void process.stdout.write(`${line}\n`);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const sumOf = (files: readonly CodeFile[]): number => files.reduce((sum, { lines }) => sum + lines, 0);

const heading = (text: string): void => print(`\n## ${text}`);

function table(rows: readonly (readonly (string | number)[])[]): void {
  for (const [first, ...others] of rows) {
    print([...others.map((cell) => String(cell).padStart(10)), ` ${first}`].join(''));
  }
}

function codeFile(path: string): CodeFile {
  const text = read(path);
  const isCode = (line: string): boolean => !/^\s*($|\/\/|\/?\*)/.test(line);
  return { path, text, lines: text.split('\n').filter(isCode).length };
}

const files = ['libs', 'apps', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => /\.tsx?$/.test(name) && !/node_modules|\bdist\b/.test(parentPath))
    .map(({ name, parentPath }) => codeFile(relative(ROOT, join(parentPath, name)).replaceAll('\\', '/'))),
);
const tests = files.filter(({ path }) => IS_TEST.test(path));
const sources = files.filter(({ path }) => !IS_TEST.test(path));

function reportLines(): void {
  heading('Lines of code: source, tests, tests per source');
  const row = (name: string, own: CodeFile[], testing: CodeFile[]): (string | number)[] => {
    const [source, test] = [sumOf(own), sumOf(testing)];
    return [name, source, test, source === 0 ? '' : (test / source).toFixed(2)];
  };
  const within = (folder: string, all: CodeFile[]): CodeFile[] =>
    all.filter(({ path }) => path.startsWith(`${folder}/`));
  table([
    ...PACKAGES.map((folder) => row(folder, within(folder, sources), within(folder, tests))),
    row('test', [], within('test', tests)),
    row('  of that, test/lab', [], within('test/lab', tests)),
    row('all', sources, tests),
  ]);
  heading('The longest files');
  const longest = files.toSorted((one, other) => other.lines - one.lines).slice(0, 15);
  table(longest.map(({ path, lines }) => [path, lines]));
}

function reportExports(): void {
  heading('Exports per entry point');
  for (const folder of LIBRARIES.filter((each) => existsSync(join(ROOT, each, 'api')))) {
    const reports = readdirSync(join(ROOT, folder, 'api'));
    table(
      reports.map((file) => [
        `${folder}/api/${file}`,
        read(`${folder}/api/${file}`).match(/^export /gm)?.length ?? 0,
      ]),
    );
  }
}

function reportPages(): void {
  heading('Lines and words per page');
  const pages = PAGES.map((path) => ({ path, text: read(path) }));
  const rows = pages.map(({ path, text }) => [path, text.split('\n').length - 1, text.split(/\s+/).length]);
  table(rows.toSorted((one, other) => Number(other[1]) - Number(one[1])));
}

function reportPackages(): void {
  heading('Packages: files, kB gzipped, kB unpacked (from the last build)');
  for (const folder of LIBRARIES) {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: join(ROOT, folder),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [packed] = JSON.parse(output.toString()) as {
      size: number;
      unpackedSize: number;
      entryCount: number;
    }[];
    const kB = (bytes: number): string => (bytes / 1000).toFixed(0);
    if (packed) table([[folder, packed.entryCount, kB(packed.size), kB(packed.unpackedSize)]]);
  }
}

/** The titles of all tests of a file. */
function titlesIn({ path, text }: CodeFile): string[] {
  const titles: string[] = [];
  const isTest = (callee: ts.Expression): boolean => {
    if (ts.isIdentifier(callee)) return callee.text === 'it';
    return (
      (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) && isTest(callee.expression)
    );
  };
  const visit = (node: ts.Node): void => {
    const [title] = ts.isCallExpression(node) && isTest(node.expression) ? node.arguments : [];
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
      titles.push(title.getText().slice(1, -1));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return titles;
}

function reportTitles(): void {
  const titles = tests.flatMap((file) => titlesIn(file).map((title) => ({ path: file.path, title })));
  const unclear = titles.filter(({ title }) => NOT_ALONE.test(title));
  heading(`Titles that don't hold alone: ${unclear.length} of ${titles.length}`);
  for (const { path, title } of unclear) print(`${path}: ${title}`);
}

function reportOptions(): void {
  heading('Options without a bound');
  const tables = OPTION_PAGES.flatMap((page) => MarkdownPage.read(`docs/reference/${page}.md`).tables);
  for (const { heading: section, columns, rows } of tables) {
    const open = rows.filter((row) => row[columns.indexOf('Bounds')] === '–' && !row[1]?.includes('boolean'));
    if (open.length > 0) print(`${section}: ${open.flatMap(([name = '']) => codeIn(name)).join(', ')}`);
  }
}

reportLines();
reportExports();
reportPages();
reportPackages();
reportTitles();
reportOptions();
