import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnChild } from '../support/child.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = ['snowflake', 'snowflake-series'];
const PEERS = ['@nestjs', 'libsql', 'reflect-metadata', 'rxjs', 'typeorm'];
/** Where a process starts to look for packages. */
const FROM = 'index.js';

const cleanUp = cleanUpAfterAll();

/** Installs the built packages into a folder of their own, which has the peers of this one. */
function secondCopy(change: (source: string) => string = (source) => source): string {
  const folder = temporaryFolder(cleanUp);
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const peer of PEERS) symlinkSync(join(ROOT, 'node_modules', peer), join(modules, peer));
  for (const name of PACKAGES) {
    const target = join(modules, `nestjs-${name}`);
    for (const part of ['package.json', 'dist'])
      cpSync(join(ROOT, 'libs', name, part), join(target, part), { recursive: true });
  }
  const version = join(modules, 'nestjs-snowflake/dist/esm/core/version.js');
  writeFileSync(version, change(readFileSync(version, 'utf8')));
  return join(folder, FROM);
}

type Results = Readonly<Record<string, unknown>>;

/** Does the checks, those with entities of the other copy alone in a process that has seen no others. */
async function resultsOf(from: string, ...checks: string[]): Promise<Results> {
  const child = spawnChild(new URL('./children/two-copies.ts', import.meta.url), { args: [from, ...checks] });
  return (await child.next((message): message is { results: Results } => typeof message === 'object'))
    .results;
}

describe('two copies of one version in a process', () => {
  let from: string;
  beforeAll(() => {
    from = secondCopy();
  });

  it('are one library: entities, services, numbers, errors and layouts of one work in the other [promise: exact-keys]', async () => {
    const expected = {
      entities: [1, 1],
      injection: ['active', true],
      numbers: 'INV-0001',
      schemas: 1,
      'without Nest': 1,
      errors: [true, true, false, false],
      layouts: 3,
    };
    expect(await resultsOf(from, ...Object.keys(expected))).toEqual(expected);
  });

  it('find the databases of an app whose entities all come from the other one', async () => {
    expect(await resultsOf(from, 'theirs alone')).toEqual({ 'theirs alone': 1 });
  });

  it('refuse one name, or one fixed worker ID, in both [promise: unique]', async () => {
    const results = await resultsOf(from, 'a name registered in both', 'a fixed worker ID in both');
    expect(results).toEqual({
      'a name registered in both': expect.stringContaining("registered twice under the name 'default'"),
      'a fixed worker ID in both': expect.stringContaining('in use by another ID maker of this process'),
    });
  });
});

describe('two versions in a process', () => {
  let from: string;
  beforeAll(() => {
    from = secondCopy((source) => source.replace(/(?<= = )'.*'/, "'9.9.9'"));
  });
  const refusal = (column: string): unknown =>
    expect.stringMatching(new RegExp(`${column}.*9\\.9\\.9.*npm ls nestjs-snowflake`));

  it('are refused, with both versions and the column, if one has declared columns that the other would serve', async () => {
    const expected = {
      entities: refusal('Theirs.id'),
      numbers: refusal('Invoice.number'),
      'without Nest': refusal('Theirs.id'),
    };
    expect(await resultsOf(from, ...Object.keys(expected))).toEqual(expected);
  });

  it('do not see the fixed worker IDs of each other, and generate the same IDs (control)', async () => {
    const check = 'a fixed worker ID in both';
    expect(await resultsOf(from, check)).toEqual({ [check]: 'a duplicate' });
  });

  it('are refused if the other one has declared all columns', async () => {
    const refused = refusal('An ID column');
    const expected = { 'theirs alone': refused, schemas: refused };
    expect(await resultsOf(from, ...Object.keys(expected))).toEqual(expected);
  });
});

it('a package knows its own version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as {
    readonly version: string;
  };
  const source = readFileSync(join(ROOT, 'libs/snowflake/src/core/version.ts'), 'utf8');
  expect(source).toContain(` = '${version}';`);
});
