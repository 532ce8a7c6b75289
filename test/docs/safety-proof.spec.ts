import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';

const proof = MarkdownPage.read('docs/explanation/safety-proof.md');

const textOf = (paths: readonly string[]): string =>
  paths.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');

const REDIS = 'libs/snowflake/src/stores/redis';
const MODEL = readdirSync(join(ROOT, 'test/model')).filter((file) => file.endsWith('.pml'));

/** The sources that use the names of each column of the table. */
const SOURCES: Readonly<Record<string, string>> = {
  '`lease-call.ts`': textOf(['libs/snowflake/src/stores/protocol/lease-call.ts']),
  '`lease-script.ts`': textOf(['lease', 'acquire', 'server'].map((name) => `${REDIS}/${name}-script.ts`)),
  '`test/model`': textOf(MODEL.map((file) => `test/model/${file}`)),
};

/** The names in the cells of a row that their source does not use. */
function unknownNames(columns: readonly string[], row: readonly string[]): string[] {
  return row.slice(1).flatMap((cell, at) => {
    const column = columns[at + 1] ?? '';
    const source = SOURCES[column] ?? '';
    return codeIn(cell)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(source))
      .map((name) => `${column} has no ${name}`);
  });
}

/** The numbered steps of part 1. */
const steps = [...proof.prose.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => Number(number));

describe('the proof', () => {
  const [names] = proof.tablesUnder('Vocabulary of the proof');

  it('uses the names of the code, of the scripts and of the model', () => {
    expect(names?.rows.length).toBeGreaterThan(5);
    expect(Object.keys(SOURCES)).toEqual(names?.columns.slice(1));
    expect(names?.rows.flatMap((row) => unknownNames(names.columns, row))).toEqual([]);
  });

  it('would be found to use another name (control)', () => {
    expect(
      unknownNames(names?.columns ?? [], ['reserved until', '`takenUntilMs`', '`reserved`', '`row`']),
    ).toEqual(['`lease-call.ts` has no takenUntilMs']);
  });

  it('has six steps, each with a promise that names its test', () => {
    const [table] = MarkdownPage.read('docs/explanation/promises.md').tablesUnder('Steps of the proof');
    const promised = table?.rows.map(([promise = '']) => Number(/^Step (\d+): /.exec(promise)?.[1]));
    expect(steps).toEqual([1, 2, 3, 4, 5, 6]);
    expect(promised).toEqual(steps);
  });

  it('names every rule of the model that only liveness needs', () => {
    const scopes = textOf(['test/model/scopes.mjs']);
    const rules = scopes.slice(scopes.indexOf('LIVENESS_RULES')).match(/name: '/g);
    const listed = proof.text.slice(proof.text.indexOf('only liveness needs:')).match(/^- /gm);
    expect(listed).toHaveLength(rules?.length ?? 0);
  });
});
