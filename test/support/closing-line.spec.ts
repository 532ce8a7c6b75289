import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const REPORTER = new URL('./closing-line-reporter.mjs', import.meta.url);

/** Runs Vitest on one made-up spec; resolves to its exit code and the lines of its output, stderr included. */
async function runVitest(
  folder: string,
  spec: string,
  args: string[],
): Promise<{ code: unknown; lines: string[] }> {
  writeFileSync(join(folder, 'a.spec.mjs'), spec);
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `export default { test: { globals: true, include: ['*.spec.mjs'], reporters: ['default', ${JSON.stringify(fileURLToPath(REPORTER))}] } };`,
  );
  return new Promise((resolve) => {
    const flags = ['run', '--root', folder, ...args];
    // One pipe for both streams, as in a CI's log: the order between them counts.
    execFile(
      'sh',
      ['-c', '"$0" "$@" 2>&1', process.execPath, VITEST, ...flags],
      { timeout: 25_000 },
      (error, output) => resolve({ code: error?.code ?? 0, lines: output.trimEnd().split('\n') }),
    );
  });
}

describe('the last line of a test run', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'snowflake-closing-line-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const pass = "it('passes', () => {});";
  const fail = "it('fails', () => { throw new Error('no'); });";
  const skip = "it.skip('waits', () => {});";
  const hook =
    "describe('suite', () => { beforeAll(() => { throw new Error('no'); }); it('is not run', () => {}); });";
  const broken = "throw new Error('no');";
  it.each([
    [
      'a failure and a skipped test',
      pass + fail + skip,
      [],
      'a.spec.mjs > fails: no',
      '1 passed, 1 failed, 1 skipped',
    ],
    ['a suite whose hook fails', pass + hook, [], 'a.spec.mjs > suite: no', '1 passed, 1 failed, 1 skipped'],
    ['a file that does not load', broken + pass, [], 'a.spec.mjs: no', '0 passed, 1 failed'],
    [
      'a run in which no test ran',
      pass,
      ['-t', 'another'],
      'the run as a whole, with exit code 1',
      '0 passed, 1 failed, 1 skipped',
    ],
  ])(
    'ends with one line that counts %s, and says above it what failed',
    async (_case, spec, args, what, line) => {
      const run = await runVitest(folder, spec, args);
      expect(run.lines.slice(-2)).toEqual([`failed: ${what}`, line]);
      expect(run.lines.filter((other) => other === line)).toHaveLength(1);
      expect(run.code).toBe(1);
    },
  );
});
