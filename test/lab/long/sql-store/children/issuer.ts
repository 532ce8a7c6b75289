/**
 * A process that leases its worker ID in a SQLite file and generates IDs without an end. It sends `holding` when it has its
 * worker ID, begins on `go`, sends `issued` after the batches of its job, and ends on `leave`.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import libsql from 'libsql';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { SqlIssuingJob } from '../support/issuing-job.js';

const BATCH_SIZE = 5000;
const PAUSE_MS = 5;

const job = JSON.parse(process.argv[2] ?? '') as SqlIssuingJob;
const maker = new SnowflakeIdMaker({
  store: sqlLeaseStore({
    dataSource: { type: 'better-sqlite3', driver: libsql, database: job.database, enableWAL: true },
    namespace: 'issuers',
    createTable: true,
  }),
  // A window that no process loses on a busy machine: each keeps its worker ID to the end.
  lease: { windowMs: 60_000, renewEveryMs: 200, possibleLoss: 'ignore' },
});
const orders = { isLeaving: false };
let renewals = 0;
maker.subscribe(({ type }) => {
  if (type === 'renewed') renewals += 1;
});

async function issue(): Promise<void> {
  let isDone = false;
  for (let batch = 1; !orders.isLeaving; batch += 1) {
    appendFileSync(job.idsFile, new Uint8Array(maker.nextBigInts(BATCH_SIZE).buffer));
    // The first renewal may take longer than all batches.
    if (!isDone && batch >= job.batches && renewals > 0) {
      isDone = true;
      process.send?.({ status: 'issued', workerId: maker.status().workerId, renewals });
    }
    await delay(PAUSE_MS);
  }
  await maker.stop();
  process.disconnect();
}

process.on('message', ({ order }: { readonly order: 'go' | 'leave' }) => {
  if (order === 'go') void issue();
  if (order === 'leave') orders.isLeaving = true;
});
await maker.start();
process.send?.({ status: 'holding', workerId: maker.status().workerId, renewals });
