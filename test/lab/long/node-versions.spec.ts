import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const VITEST = 'node_modules/vitest/vitest.mjs';
const TIMEOUT_MS = 20 * 60_000;

interface Run {
  readonly code: number;
  /** From the first failed test on, as far as there is room in a report, and the last lines. */
  readonly output: string;
}

/** Runs a program of the npm package `node`, in its own version and with its own place on the PATH. */
function withNode(version: number, args: readonly string[]): Promise<Run> {
  const npx = ['--yes', '--package', `node@${version}`, '--', 'node', ...args];
  const foreign = /^(NODE_OPTIONS$|TEST$|VITEST)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  return new Promise((resolve) => {
    execFile(
      'npx',
      npx,
      { cwd: ROOT, env, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({ code, output: `${failures(stderr)}\n${stdout.slice(-1000)}`.trimEnd() });
      },
    );
  });
}

function failures(report: string): string {
  const first = report.indexOf('FAIL');
  return first === -1 ? report.slice(-1000) : report.slice(first, first + 8000);
}

describe.each([22, 24])('Node %i', (version) => {
  it(
    'the npm package provides this version',
    async () => {
      const { output } = await withNode(version, ['--print', 'process.version']);
      expect(output.split('\n').at(-1)).toMatch(new RegExp(`^v${version}\\.`));
    },
    TIMEOUT_MS,
  );

  it(
    'runs the unit specs and those of Nest and the package',
    async () => {
      const tier = ['--config', 'test/tiers/node-version.mjs', '--maxWorkers', '1'];
      const { code, output } = await withNode(version, [VITEST, 'run', ...tier]);
      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringMatching(/\n\d{3,} passed, 0 failed/),
      });
    },
    TIMEOUT_MS,
  );
});
