import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeBinary } from '../node-binary.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const JEST = 'node_modules/jest/bin/jest.js';
const TIMEOUT_MS = 20 * 60_000;

interface Run {
  readonly code: number;
  /** From the first failed test on, as far as there is room in a report, and the last lines. */
  readonly output: string;
}

/** Runs a program with another Node.js, which also its child processes find. */
function runWith(node: string, args: readonly string[]): Promise<Run> {
  const { JEST_WORKER_ID: _worker, ...own } = process.env;
  const env = { ...own, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  return new Promise((resolve) => {
    execFile(
      node,
      args,
      { cwd: ROOT, env, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({
          code,
          output: `${failures(stderr)}\n${stderr.slice(-1000)}${stdout.slice(-1000)}`.trimEnd(),
        });
      },
    );
  });
}

function failures(report: string): string {
  const first = report.indexOf('●');
  return first === -1 ? report.slice(-1000) : report.slice(first, first + 8000);
}

/**
 * The pure code and the clocks on each version; Nest, too, on the newest. On the version of this process, all specs run anyway.
 * `.github/workflows/ci.yml` runs everything on each version.
 */
const RUNS = [
  [22, ['unit'], ['libs/snowflake/src/']],
  [24, ['unit', 'integration'], ['libs/snowflake/src/', 'test/nest/', 'test/packaging/browsers']],
] as const;

const others = RUNS.filter(([version]) => !process.version.startsWith(`v${version}.`));

describe.each(others)('Node %i', (version, projects, paths) => {
  let node: string;
  beforeAll(async () => {
    node = await nodeBinary(version);
  }, TIMEOUT_MS);

  it('is the version that the npm package provides', async () => {
    const { output } = await runWith(node, ['--print', 'process.version']);
    expect(output.split('\n').at(-1)).toMatch(new RegExp(`^v${version}\\.`));
  });

  it(
    `runs the specs in ${paths.join(', ')}`,
    async () => {
      const selected = ['--selectProjects', ...projects, '--maxWorkers', '1', '--testPathPatterns', ...paths];
      const { code, output } = await runWith(node, [JEST, ...selected]);
      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringMatching(/\nTests: +\d{3,} passed, \d{3,} total\n/),
      });
    },
    TIMEOUT_MS,
  );
});
