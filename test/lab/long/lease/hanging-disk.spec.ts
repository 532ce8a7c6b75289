import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnChild, type TestChild } from '../../../support/child.js';
import type { HangingDiskJob, HangingDiskReport } from './support/hanging-disk-job.js';

const ACQUIRE_TIMEOUT_MS = 1000;
const END_WITHIN_MS = 50_000;

let folder: string;
let child: TestChild | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snowflake-hanging-'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterEach(async () => {
  await child?.kill();
  child = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** What becomes of a process whose files are all on a disk that hangs. Ends it. */
async function onHangingDisk(changes: Partial<HangingDiskJob>): Promise<HangingDiskReport> {
  const job: HangingDiskJob = {
    pipe: join(folder, 'pipe'),
    file: join(folder, 'window'),
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    ...changes,
  };
  child = spawnChild(new URL('./children/on-hanging-disk.ts', import.meta.url), {
    args: [JSON.stringify(job)],
    env: { UV_THREADPOOL_SIZE: '1' },
  });
  const isReport = (message: unknown): message is HangingDiskReport =>
    typeof message === 'object' && message !== null && 'whileHanging' in message;
  const report = await child.next(isReport, END_WITHIN_MS);
  expect(await child.untilEnd(END_WITHIN_MS)).toEqual({ code: 0, signal: null });
  // Neither a trial of the folder nor a rest remains of it.
  expect(readdirSync(folder)).toEqual(['pipe']);
  return report;
}

const SLOW = /^The folder of \/\S+\/window has not answered for 50 ms\. Startup waits for it: check its disk/;

describe('a process with a local window whose disk hangs [promise: fail-closed]', () => {
  it('fails to start after acquireTimeoutMs with the reason, and closes a store that opens late', async () => {
    const report = await onHangingDisk({});
    expect(report).toMatchObject({
      start: {
        code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
        message: expect.stringMatching(
          /acquireTimeoutMs \(1000 ms\).* did not open\..* The folder of \/\S+\/window has/,
        ),
      },
      whileHanging: [],
      calls: ['open', 'close'],
      state: 'stopped',
    });
    expect(report.warnings).toEqual([
      expect.stringMatching(SLOW),
      expect.stringContaining('was still opening'),
    ]);
  });

  it('stops at once while its store is still opening on a disk that hangs', async () => {
    const report = await onHangingDisk({ stops: true, acquireTimeoutMs: 80_000 });
    expect(report).toMatchObject({
      start: { code: 'SNOWFLAKE_STOPPED', message: expect.stringContaining('was still opening') },
      whileHanging: [],
      calls: ['open', 'close'],
      state: 'stopped',
    });
  });
});
