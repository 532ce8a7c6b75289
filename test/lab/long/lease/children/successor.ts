/**
 * A process with a local window: it starts, generates IDs, writes them to a file and stops. It can die at any operation on
 * the disk, and have a disk that forgets.
 */
import { writeFileSync } from 'node:fs';
import { SnowflakeIdMaker, withLocalWindow } from 'nestjs-snowflake/standalone';
import { type Clock, systemClock } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import {
  countDiskOperations,
  forgetWhatWasTaken,
  keepWhatIsEmptied,
  linkWhatWasTaken,
} from '../support/counted-disk.js';
import type { SuccessorJob, SuccessorPhase, SuccessorReport } from '../support/successor-job.js';

const job = JSON.parse(process.argv[2] ?? '') as SuccessorJob;
const operations: Record<SuccessorPhase, string[]> = { start: [], stop: [] };
const warnings: string[] = [];
let phase: SuccessorPhase = 'start';

if (job.forgetsThatItWasTaken) forgetWhatWasTaken(job.file);
if (job.isLinkedWhenTaken) linkWhatWasTaken(job.file);
if (job.keepsWhatIsEmptied) await keepWhatIsEmptied();
await countDiskOperations((name) => {
  const { dieBefore } = job;
  if (dieBefore?.phase === phase && dieBefore.operation === operations[phase].length) {
    process.kill(process.pid, 'SIGKILL');
  }
  operations[phase].push(name);
});

const clock: Clock = {
  now: () => job.nowMs,
  blockUntil: () => true,
  // The bounds of a stop are shorter than a busy disk can take, and no option sets them.
  schedule: (delayMs, task) => systemClock.schedule(phase === 'stop' ? 30 * delayMs : delayMs, task),
};
const redis = redisLeaseStore({ url: job.url, namespace: job.namespace });
const maker = new SnowflakeIdMaker(
  {
    store: withLocalWindow(redis, { file: job.file, clock }),
    lease: {
      windowMs: 3_600_000,
      // A second call would read the disk again. An unreachable store refuses at once.
      callTimeoutMs: 20_000,
      acquireTimeoutMs: job.acquireTimeoutMs,
      possibleLoss: 'ignore',
    },
  },
  { clock },
);
maker.subscribe((event) => event.type === 'warning' && warnings.push(event.message));

async function run(): Promise<Pick<SuccessorReport, 'workerId' | 'error'>> {
  try {
    await maker.start();
  } catch (error) {
    return { error: (error as { code: string }).code };
  }
  const { workerId } = maker.status();
  const half = job.count / 2;
  const ids = new BigUint64Array(job.count);
  ids.set(maker.nextBigInts(half));
  for (let index = half; index < job.count; index++) ids[index] = maker.nextBigInt();
  writeFileSync(job.idsFile, ids);
  phase = 'stop';
  await maker.stop();
  return { workerId };
}

const start = async (): Promise<void> => {
  const report: SuccessorReport = { status: 'ended', ...(await run()), operations, warnings };
  process.send?.(report, () => process.disconnect());
};
if (job.waits) {
  process.once('message', () => void start());
  process.send?.({ status: 'ready' });
} else await start();
