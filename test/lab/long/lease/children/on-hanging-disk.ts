/**
 * A process with a local window whose disk hangs: nobody writes to a pipe that a thread of its file system opens, and
 * there is no other such thread. So no operation on a file ends, as on a network mount that is dead, and no right is
 * needed for it. It goes on when the pipe is written to, and the process can end.
 */
import { closeSync, open, openSync } from 'node:fs';
import {
  type LeaseStore,
  memoryLeaseStore,
  SnowflakeIdMaker,
  withLocalWindow,
} from 'nestjs-snowflake/standalone';
import type { HangingDiskJob, HangingDiskReport } from '../support/hanging-disk-job.js';

const job = JSON.parse(process.argv[2] ?? '') as HangingDiskJob;
const calls: string[] = [];
const warnings: string[] = [];

const inner = memoryLeaseStore({ namespace: 'shop' });
const store: LeaseStore = {
  description: inner.description,
  renewable: true,
  open: () => void calls.push('open'),
  lease: (request, deadline) => {
    calls.push('lease');
    return inner.lease(request, deadline);
  },
  release: (request, deadline) => inner.release(request, deadline),
  inspect: () => inner.inspect(),
  close: async () => void calls.push('close'),
};
const maker = new SnowflakeIdMaker({
  store: withLocalWindow(store, { file: job.file }),
  lease: { possibleLoss: 'ignore', callTimeoutMs: 50, acquireTimeoutMs: job.acquireTimeoutMs },
});
maker.subscribe((event) => event.type === 'warning' && warnings.push(event.message));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isSo: () => boolean): Promise<void> {
  for (let looks = 0; looks < 1000 && !isSo(); looks++) await pause(10);
}

const pipeOpened = new Promise<void>((resolve, reject) => {
  open(job.pipe, 'r', (error, descriptor) => {
    if (error) return reject(error);
    closeSync(descriptor);
    resolve();
  });
});

let start: HangingDiskReport['start'];
maker.start().catch((error: { code: string; message: string }) => {
  start = { code: error.code, message: error.message };
});
if (job.stops) {
  await pause(200);
  await maker.stop();
}
await until(() => start !== undefined);
const whileHanging = [...calls];

// Whoever opens a pipe to write to it does not wait when somebody wants to read.
closeSync(openSync(job.pipe, 'w'));
await pipeOpened;
await until(() => calls.includes('close'));
const report: HangingDiskReport = { start, whileHanging, calls, warnings, state: maker.status().state };
// A process that waits for nothing any more ends by itself.
process.send?.(report, () => process.disconnect());
