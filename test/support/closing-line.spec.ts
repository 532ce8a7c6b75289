import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const REPORTER = new URL('./closing-line-reporter.mjs', import.meta.url);

/** Runs Jest on one made-up spec; resolves to its exit code and the lines of its output, stderr included. */
async function runJest(
  folder: string,
  spec: string,
  args: string[],
): Promise<{ code: unknown; lines: string[] }> {
  writeFileSync(join(folder, 'a.test.cjs'), spec);
  writeFileSync(
    join(folder, 'jest.config.mjs'),
    `import ${JSON.stringify(REPORTER.href)};
     export default { testMatch: ['**/*.test.cjs'], reporters: ['default', ${JSON.stringify(fileURLToPath(REPORTER))}] };`,
  );
  return new Promise((resolve) => {
    const flags = ['--rootDir', folder, '--config', join(folder, 'jest.config.mjs'), '--runInBand', ...args];
    // One pipe for both streams, as in a CI's log: the order between them counts.
    execFile(
      'sh',
      ['-c', '"$0" "$@" 2>&1', process.execPath, JEST, ...flags],
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
  it.each([
    ['a failure and a skipped test', pass + fail + skip, [], '1 passed, 1 failed, 1 skipped', 1],
    ['a file that does not load', `require('./missing.cjs');${pass}`, [], '0 passed, 1 failed', 1],
    ['a run in which no test ran', pass, ['-t', 'another'], '0 passed, 1 failed, 1 skipped', 1],
  ])('ends with one line that counts %s', async (_case, spec, args, line, code) => {
    const run = await runJest(folder, spec, args);
    expect(run.lines.at(-1)).toBe(line);
    expect(run.lines.filter((other) => other === line)).toHaveLength(1);
    expect(run.code).toBe(code);
  });
});
