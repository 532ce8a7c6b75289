import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';

interface Runner {
  readonly script: string;
  /** Where it keeps the snapshots of its first run. */
  readonly snapshots: string;
  /** Arguments with which it runs the tests of this name alone. */
  readonly only: (name: string) => string[];
  readonly passes: RegExp;
}

// Node 20 takes no patterns, and later versions take no folders.
const NODE_FILES = ['node/customers.test.js', 'node/orders.test.js'];
const JEST: Runner = {
  script: 'test:jest',
  snapshots: 'jest/__snapshots__',
  only: (name) => ['-t', name],
  passes: /Tests: .*8 passed, 8 total/,
};
const VITEST: Runner = {
  script: 'test:vitest',
  snapshots: 'vitest/__snapshots__',
  only: (name) => ['-t', name],
  passes: /Tests\s+8 passed \(8\)/,
};
const NODE: Runner = {
  script: 'test:node',
  snapshots: 'node',
  only: (name) => ['--test-name-pattern', name, ...NODE_FILES],
  passes: /pass 8/,
};

// Of Nest 11, since Jest on Node 20 can't load the ES modules of Nest 12.
describe('tests of an app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-runners-'));
  // Where CI is set, Vitest and Jest write no snapshots.
  const settings: NodeJS.ProcessEnv = { CI: '' };
  const consumer = new Consumer('test-runners', settings);
  let databases = 0;
  const packages = ['@nestjs/common@11', '@nestjs/core@11', '@nestjs/testing@11', 'jest@30', 'vitest@4'];

  /** Runs the tests against an empty database. */
  function run({ script }: Runner, args: string[], withoutTestFile = ''): Promise<string> {
    settings.DATABASE_FILE = join(folder, `${databases++}.db`);
    settings.WITHOUT_TEST_FILE = withoutTestFile;
    return consumer.script(script, ...args);
  }

  function snapshotsOf({ snapshots }: Runner): string[] {
    const path = join(consumer.folder, snapshots);
    const files = readdirSync(path).filter((file) => file.endsWith('.snap'));
    return files.toSorted().map((file) => readFileSync(join(path, file), 'utf8'));
  }

  beforeAll(async () => {
    const { path } = await packLibrary();
    await consumer.install(path, ...packages, 'reflect-metadata', 'rxjs', 'libsql');
  }, STEP_WITHIN_MS);
  afterAll(() => {
    consumer.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each([JEST, VITEST, NODE])('run by $script', (runner) => {
    const all = runner === NODE ? NODE_FILES : [];

    it(
      'share a database without a repeated ID, and have the same snapshots in every run',
      async () => {
        expect(await run(runner, all)).toMatch(runner.passes);
        const first = snapshotsOf(runner);
        expect(first.join('')).toMatch(/\d{12}0101/);
        expect(await run(runner, all)).toMatch(runner.passes);
        await run(runner, runner.only('counts on in an app'));
        expect(snapshotsOf(runner)).toEqual(first);
      },
      STEP_WITHIN_MS,
    );

    it(
      'repeat IDs in that database with one start in all files (control)',
      async () => {
        const only = runner.only('counts from its place');
        await expect(run(runner, only, 'yes')).rejects.toThrow('UNIQUE constraint');
      },
      STEP_WITHIN_MS,
    );
  });
});
