/**
 * `npm run bench:etcd`: renewals per second of holders that renew at once, and how long a start of many processes takes, on private etcd
 * servers of one and three members. Prints both. `--quick` measures nothing.
 */
import { parseArgs } from 'node:util';
import { etcdLeaseStore } from 'nestjs-snowflake/etcd';
import type { LeaseReply, LeaseRequest, LeaseStore } from 'nestjs-snowflake/store';
import { type EtcdServer, startEtcd } from '../../test/support/servers/index.js';
import { provideServers } from '../../test/support/servers/provision.js';

const HOLDERS = 8;
const STARTS = 96;
const START_ROUNDS = 3;
const WINDOW_MS = 60_000;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
});
const forMs = values.quick ? 200 : Number(values.seconds) * 1000;

type Grant = Extract<LeaseReply, { outcome: 'new' }>;

function request(holder: number, changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    layout: 'bench',
    firstWorkerId: 0,
    workerCount: 1024,
    windowMs: WINDOW_MS,
    maxSkewMs: 5000,
    nonce: `${holder}-${Math.random()}`,
    retry: false,
    assumeNew: true,
    searchSeed: Math.floor(Math.random() * 2 ** 31),
    ...changes,
  };
}

async function granted(store: LeaseStore, holder: number): Promise<Grant> {
  const reply = await store.lease(request(holder));
  if (reply.outcome !== 'new') throw new Error(`expected a grant, not ${JSON.stringify(reply)}`);
  return reply;
}

function stores(etcd: EtcdServer, namespace: string, count: number): LeaseStore[] {
  return Array.from({ length: count }, (_, index) => {
    const url = etcd.urls[index % etcd.urls.length];
    const store = etcdLeaseStore({ url, namespace });
    void store.open?.({ callTimeoutMs: 30_000 });
    return store;
  });
}

/** Each holder renews as soon as its last renewal is answered. Returns renewals per second, and their median duration in milliseconds. */
async function renewalsOn(etcd: EtcdServer): Promise<{ perSecond: number; medianMs: number }> {
  const holders = stores(etcd, 'renewals', HOLDERS);
  const durationsMs: number[] = [];
  const startedMs = performance.now();
  const renew = async (store: LeaseStore, holder: number): Promise<void> => {
    const { workerId, fencingToken, untilMs } = await granted(store, holder);
    while (performance.now() - startedMs < forMs) {
      const beforeMs = performance.now();
      const { outcome } = await store.lease(request(holder, { claim: { workerId, fencingToken, untilMs } }));
      if (outcome !== 'kept') throw new Error(`expected a renewal, not ${outcome}`);
      durationsMs.push(performance.now() - beforeMs);
    }
  };
  await Promise.all(holders.map(renew));
  await Promise.all(holders.map((store) => store.close()));
  const sorted = durationsMs.sort((a, b) => a - b);
  return { perSecond: (1000 * sorted.length) / forMs, medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0 };
}

/** Returns how long the last of many starts takes, in milliseconds, with every start in one process. */
async function startsOn(etcd: EtcdServer, round: number): Promise<number> {
  const namespace = `starts-${round}`;
  const [first, others] = [stores(etcd, namespace, 1), stores(etcd, namespace, STARTS)];
  for (const store of first) await granted(store, STARTS);
  const startedMs = performance.now();
  const grants = await Promise.all(others.map(granted));
  const tookMs = performance.now() - startedMs;
  if (new Set(grants.map(({ workerId }) => workerId)).size !== STARTS)
    throw new Error('two starts got one worker ID');
  await Promise.all([...first, ...others].map((store) => store.close()));
  return tookMs;
}

await provideServers({ areAllNeeded: true });
for (const members of [1, 3] as const) {
  const etcd = await startEtcd({ members });
  const { perSecond, medianMs } = await renewalsOn(etcd);
  const tookMs: number[] = [];
  for (let round = 0; round < (values.quick ? 1 : START_ROUNDS); round += 1)
    tookMs.push(await startsOn(etcd, round));
  const name = members === 1 ? '1 member' : `${members} members`;
  process.stdout.write(
    `${name}: ${Math.round(perSecond)} renewals/s of ${HOLDERS} holders, median ${medianMs.toFixed(1)} ms; ` +
      `${STARTS} starts at once took ${tookMs.map((ms) => Math.round(ms)).join(', ')} ms\n`,
  );
  await etcd.stop();
}
