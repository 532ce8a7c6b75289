import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeBinary } from '../node-binary.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const VITEST = 'node_modules/vitest/vitest.mjs';
const TIMEOUT_MS = 20 * 60_000;

interface Run {
  readonly code: number;
  /** From the first failed test on, as far as there is room in a report, and the last lines. */
  readonly output: string;
}

/** Runs a program with another Node.js, which also its child processes find. */
function runWith(node: string, args: readonly string[]): Promise<Run> {
  const foreign = /^(NODE_OPTIONS$|TEST$|VITEST)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const env = { ...Object.fromEntries(own), PATH: path };
  return new Promise((resolve) => {
    execFile(
      node,
      args,
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
  let node: string;
  beforeAll(async () => {
    node = await nodeBinary(version);
  }, TIMEOUT_MS);

  it('is the version that the npm package provides', async () => {
    const { output } = await runWith(node, ['--print', 'process.version']);
    expect(output.split('\n').at(-1)).toMatch(new RegExp(`^v${version}\\.`));
  });

  it(
    'runs the unit specs and those of Nest',
    async () => {
      const tier = ['--config', 'test/tiers/node-version.mjs', '--maxWorkers', '1'];
      const { code, output } = await runWith(node, [VITEST, 'run', ...tier]);
      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringMatching(/\n\d{3,} passed, 0 failed/),
      });
    },
    TIMEOUT_MS,
  );
});
