/**
 * A process that leases its worker ID in a database and generates IDs without an end, whatever becomes of the database. It
 * sends each event of its lease, answers `report`, and ends on `leave`.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { SnowflakeError, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { FailoverJob } from '../support/failover-job.js';

const BATCH_SIZE = 1000;
const PAUSE_MS = 4;

const job = JSON.parse(process.argv[2] ?? '') as FailoverJob;
const maker = new SnowflakeIdMaker({
  store: sqlLeaseStore({
    dataSource: job.dataSource,
    namespace: 'issuers',
    createTable: true,
    assumeNoLostWrites: job.assumeNoLostWrites,
  }),
  lease: { ...job.lease, possibleLoss: job.possibleLoss },
});
let issued = 0;
const orders = { isLeaving: false };
maker.subscribe((event) => {
  process.send?.({ status: 'event', type: event.type, reason: 'reason' in event ? event.reason : undefined });
});

process.on('message', ({ order }: { readonly order: 'report' | 'leave' }) => {
  if (order === 'report') process.send?.({ status: 'report', issued, workerId: maker.status().workerId });
  if (order === 'leave') orders.isLeaving = true;
});
await maker.start();
process.send?.({ status: 'holding', workerId: maker.status().workerId });
while (!orders.isLeaving) {
  try {
    appendFileSync(job.idsFile, new Uint8Array(maker.nextBigInts(BATCH_SIZE).buffer));
    issued += BATCH_SIZE;
  } catch (error) {
    if (!(error instanceof SnowflakeError) || !error.retryable) throw error;
  }
  await delay(PAUSE_MS);
}
await maker.stop();
process.disconnect();
