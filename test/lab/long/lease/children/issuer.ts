/**
 * A process that generates IDs. It sends `holding` when it has its worker ID, begins on `go`, sends `issued` when its file
 * is written, and goes on holding its lease until `leave`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { zookeeperLeaseStore } from 'nestjs-snowflake-coordination/zookeeper';
import { clockAt } from '../support/standing-clock.js';
import { type Batch, type IssuingJob, writeIssued } from '../support/issuing-job.js';

const PAUSE_MS = 20;

/** Every method that generates IDs, and how many IDs it makes per round: 10,000 in all. */
const ROUND: readonly [size: number, issue: (ids: SnowflakeIdMaker, size: number) => ArrayLike<bigint>][] = [
  [8000, (ids, size) => ids.nextBigInts(size)],
  [400, (ids, size) => Array.from({ length: size }, () => ids.nextBigInt())],
  [1500, (ids, size) => ids.nextIds(size).map(BigInt)],
  [100, (ids, size) => Array.from({ length: size }, () => BigInt(ids.nextId()))],
];
const ROUND_SIZE = ROUND.reduce((sum, [size]) => sum + size, 0);

const job = JSON.parse(process.argv[2] ?? '') as IssuingJob;
const clock = clockAt(job.standsAtMs);

function storeOf({ lease }: IssuingJob): LeaseStore {
  if ('redis' in lease) return redisLeaseStore(lease.redis);
  if ('etcd' in lease) return etcdLeaseStore(lease.etcd);
  if ('zookeeper' in lease) return zookeeperLeaseStore(lease.zookeeper);
  return staticLeaseStore({ ...lease, clock });
}

const maker = new SnowflakeIdMaker(
  {
    store: storeOf(job),
    layout: job.layout,
    lease: job.leaseOptions,
  },
  { clock },
);

let renewals = 0;
const renewed = new Promise<void>((resolve) => {
  maker.subscribe(({ type }) => {
    if (type !== 'renewed') return;
    renewals++;
    resolve();
  });
});

async function issue(): Promise<void> {
  const ids = new BigUint64Array(job.rounds * ROUND_SIZE);
  const batches: Batch[] = [];
  let end = 0;
  for (let round = 0; round < job.rounds; round++) {
    for (const [size, issueBatch] of ROUND) {
      const beforeMs = Date.now();
      ids.set(issueBatch(maker, size), end);
      end += size;
      batches.push({ end, beforeMs, afterMs: Date.now() });
      await delay(PAUSE_MS);
    }
  }
  writeIssued(job.idsFile, { ids, batches });
  // A busy machine may be done with its IDs before a call of the store.
  if (!('workerId' in job.lease)) await renewed;
  process.send?.({ status: 'issued', workerId: maker.status().workerId, renewals });
}

process.on('message', ({ order }: { readonly order: 'go' | 'leave' }) => {
  if (order === 'go') void issue();
  if (order === 'leave') void maker.stop().then(() => process.disconnect());
});
await maker.start();
process.send?.({ status: 'holding', workerId: maker.status().workerId, renewals });
