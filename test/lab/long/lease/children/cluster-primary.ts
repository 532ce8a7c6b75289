/**
 * The primary of a cluster that starts worker threads too. It holds a worker ID and has generated an ID before it starts
 * any of them. It forwards a message of theirs to the test when all have sent it.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import {
  type CrowdJob,
  type CrowdMessage,
  type CrowdOrder,
  type CrowdReport,
  fileOfThreads,
  idsPerMember,
  makerFor,
  type ThreadData,
} from '../support/crowd-job.js';

interface Member {
  send(order: CrowdOrder): void;
  received(status: CrowdMessage['status']): Promise<number | undefined>;
  readonly ended: Promise<unknown>;
}

const job = JSON.parse(process.argv[2] ?? '') as CrowdJob;
const file = new URL('./crowd-member.js', import.meta.url);
const shared = new SharedArrayBuffer(job.threads * idsPerMember(job) * 8);

/** Keeps the messages of a process or a thread until they are read. */
class Inbox {
  private readonly status = new Map<CrowdMessage['status'], CrowdMessage>();
  private awaken: () => void = () => undefined;

  take(message: CrowdMessage): void {
    this.status.set(message.status, message);
    this.awaken();
  }

  async received(status: CrowdMessage['status']): Promise<number | undefined> {
    while (!this.status.has(status)) await new Promise<void>((resolve) => (this.awaken = resolve));
    return this.status.get(status)?.workerId;
  }
}

function startProcess(index: number): Member {
  const inbox = new Inbox();
  const worker = cluster.fork({ CROWD_INDEX: String(index) });
  worker.on('message', (message: CrowdMessage) => inbox.take(message));
  worker.on('exit', endTogether);
  return {
    send: (order) => void worker.send(order),
    received: (status) => inbox.received(status),
    ended: once(worker, 'exit'),
  };
}

function startThread(index: number): Member {
  const inbox = new Inbox();
  const worker = new Worker(file, { workerData: { job, shared, index } satisfies ThreadData });
  worker.on('message', (message: CrowdMessage) => inbox.take(message));
  worker.on('exit', endTogether);
  return {
    send: (order) => worker.postMessage(order, []),
    received: (status) => inbox.received(status),
    ended: once(worker, 'exit'),
  };
}

/** A member that fails has printed why, and the test shows the output of this process. */
function endTogether(code: number): void {
  if (code !== 0) process.exit(1);
}

const maker = 'url' in job.lease ? makerFor(job) : undefined;
await maker?.start();
maker?.nextId();

cluster.setupPrimary({ exec: fileURLToPath(file), args: [JSON.stringify(job)] });
const members = [
  ...Array.from({ length: job.processes }, (_, index) => startProcess(index)),
  ...Array.from({ length: job.threads }, (_, index) => startThread(index)),
];

async function report(status: CrowdMessage['status']): Promise<void> {
  const workerIds = await Promise.all(members.map((member) => member.received(status)));
  if (status === 'issued' && job.threads > 0) writeFileSync(fileOfThreads(job), new Uint8Array(shared));
  process.send?.({ status, primary: maker?.status().workerId, workerIds } satisfies CrowdReport);
}

process.on('message', (message: CrowdOrder) => {
  for (const member of members) member.send(message);
  void (message.order === 'go' ? report('issued') : leave());
});

async function leave(): Promise<void> {
  await Promise.all(members.map(({ ended }) => ended));
  await maker?.stop();
  process.disconnect();
}

await report('holding');
