// `npm run promises` prints each promise with the tests that hold it and the controls that show that these can fail. With
// `--write` it writes docs/explanation/promises.md. It fails for a tag that is no promise, and for a promise without a test or a control.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** What the library promises, by the tag that stands in the title of a `describe`: `[promise: unique]`. */
const PROMISES = {
  unique:
    'Two IDs of one namespace are never equal, despite crashes, pauses, network faults, clock changes and restarts.',
  'after-loss': 'IDs stay unique after the store has lost leases that it had acknowledged.',
  order: 'The IDs of one process ascend while it keeps its worker ID.',
  'fail-closed':
    'A process issues no ID while it cannot prove that its lease is valid, and then resumes by itself.',
  'exact-keys': 'A key is stored, found and serialized exactly, or refused; it is never rounded or dropped.',
  segments: 'A segment source never issues a number twice.',
  series: 'A series has no gaps and no duplicates, and reuses a number whose transaction was rolled back.',
  secrets: 'No message, log, event or output holds a password.',
} as const;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'docs/explanation/promises.md';
const TAG = /\s*\[promise: ([\w, -]+)\]/;
const CONTROL = /\(control\)|^control: /;

interface Evidence {
  readonly path: string;
  readonly title: string;
}

const held = new Map<string, { tests: Evidence[]; controls: Evidence[] }>(
  Object.keys(PROMISES).map((promise) => [promise, { tests: [], controls: [] }]),
);
const problems: string[] = [];

/** Returns `it` or `describe` for a call of either, also through `.each`. */
function kindOf(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee)) return /^(it|describe)$/.exec(callee.text)?.[0];
  if (ts.isPropertyAccessExpression(callee)) return kindOf(callee.expression);
  return ts.isCallExpression(callee) ? kindOf(callee.expression) : undefined;
}

/** Notes the tests below `node`, which hold the promises of all tags around them. */
function readTests(node: ts.Node, path: string, outer: readonly string[], within: string): void {
  let promises = outer;
  let title = within;
  if (ts.isCallExpression(node)) {
    const kind = kindOf(node.expression);
    const [first] = node.arguments;
    if (kind !== undefined && first && (ts.isStringLiteralLike(first) || ts.isTemplateExpression(first))) {
      const text = first.getText().slice(1, -1);
      const tags = TAG.exec(text)?.[1]?.split(', ') ?? [];
      promises = [...outer, ...tags];
      title = `${within} ${text.replace(TAG, '')}`.trim();
      if (kind === 'it') note(promises, { path, title });
    }
  }
  ts.forEachChild(node, (child) => readTests(child, path, promises, title));
}

function note(promises: readonly string[], evidence: Evidence): void {
  for (const promise of new Set(promises)) {
    const found = held.get(promise);
    if (!found) problems.push(`${evidence.path}: "${promise}" is no promise`);
    else (CONTROL.test(evidence.title) ? found.controls : found.tests).push(evidence);
  }
}

for (const folder of ['libs', 'apps', 'test']) {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (!/(\.spec|-contract)\.ts$/.test(entry.name) || /node_modules|dist/.test(entry.parentPath)) continue;
    const file = join(entry.parentPath, entry.name);
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    readTests(source, relative(ROOT, file), [], '');
  }
}
for (const [promise, { tests, controls }] of held) {
  if (tests.length === 0) problems.push(`${promise} has no test`);
  if (controls.length === 0) problems.push(`${promise} has no control`);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const filesOf = (evidence: readonly Evidence[]): string[] =>
  [...new Set(evidence.map(({ path }) => path))].sort();

if (process.argv.includes('--write')) {
  const sections = Object.entries(PROMISES).map(([promise, sentence]) => {
    const { tests, controls } = held.get(promise)!;
    const files = filesOf([...tests, ...controls]).map((path) => `- \`${path}\``);
    return `## ${sentence.replace(/\.$/, '')}\n\n${files.join('\n')}\n`;
  });
  writeFileSync(
    join(ROOT, PAGE),
    `# Promises and their tests\n\n<!-- Written by "npm run promises -- --write" from the tags in the tests. -->\n\n` +
      'Each promise has tests and controls. A control removes a mechanism and must then find what it prevents, such as a ' +
      'duplicate, a gap or a secret, which shows that the tests can fail. `npm run promises` prints all their titles.\n\n' +
      sections.join('\n'),
  );
} else {
  for (const [promise, { tests, controls }] of held) {
    print(`\n${promise}: ${PROMISES[promise as keyof typeof PROMISES]}`);
    for (const { path, title } of tests) print(`  test     ${path} › ${title}`);
    for (const { path, title } of controls) print(`  control  ${path} › ${title}`);
  }
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
