/**
 * A process of a cluster, or a worker thread, that generates IDs. It sends `holding` when it has its worker ID, begins on
 * `go`, sends `issued` when it is done, and keeps its lease until `leave`.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type CrowdJob,
  type CrowdMessage,
  type CrowdOrder,
  fileOfProcess,
  idsPerMember,
  makerFor,
  type ThreadData,
} from '../support/crowd-job.js';

const PAUSE_MS = 2;

const thread = parentPort ? (workerData as ThreadData) : undefined;
const job = thread?.job ?? (JSON.parse(process.argv[2] ?? '') as CrowdJob);
const count = idsPerMember(job);
// A thread writes into its part of the memory that all threads share.
const ids = thread
  ? new BigUint64Array(thread.shared, thread.index * count * 8, count)
  : new BigUint64Array(count);
const maker = makerFor(job);

function report(status: CrowdMessage['status']): void {
  const message: CrowdMessage = { status, workerId: maker.status().workerId };
  if (parentPort) parentPort.postMessage(message, []);
  else process.send?.(message);
}

async function issue(): Promise<void> {
  for (let batch = 0; batch < job.batches; batch++) {
    const target = ids.subarray(batch * job.idsPerBatch, (batch + 1) * job.idsPerBatch);
    if (batch % 3 === 0) target.set(maker.nextBigInts(target.length));
    else maker.fillBigInts(target);
    await delay(PAUSE_MS);
  }
  if (!thread) writeFileSync(fileOfProcess(job, Number(process.env.CROWD_INDEX)), ids);
  report('issued');
}

async function leave(): Promise<void> {
  await maker.stop();
  if (parentPort) parentPort.close();
  else process.disconnect();
}

const obey = ({ order }: CrowdOrder): void => void (order === 'go' ? issue() : leave());
if (parentPort) parentPort.on('message', obey);
else process.on('message', obey);

await maker.start();
report('holding');
