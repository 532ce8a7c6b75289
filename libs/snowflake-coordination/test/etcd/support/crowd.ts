import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseReply, LeaseRequest, LeaseStore } from '../../../../snowflake/src/lease/lease-store.js';
import { FAR_DEADLINE, requestOf } from '../../../../snowflake/src/stores/port/store-under-test.js';
import { WindowLedger } from '../../../../snowflake/src/stores/port/window-ledger.js';
import { type AlterPort, firstGrant, freshNamespace } from './stores.js';

/** A finer clock than that of etcd, and the same for all, so that windows end while the crowd waits. */
const localClock: AlterPort = (port) => ({
  read: async (keys) => {
    const { entries, server } = await port.read(keys);
    return { entries, server: { ...server, nowMs: Date.now() } };
  },
});

/** Makes an open store of a crowd. */
export type OpenInCrowd = (namespace: string, alter: AlterPort) => LeaseStore;

/** What happened in a crowd. */
export interface CrowdReport {
  readonly grants: number;
  /** A description of each overlap of two windows of one worker ID. */
  readonly overlaps: readonly string[];
}

/** Eight stores take over one worker ID after the other, of far fewer than there are stores. */
export async function crowdOn(
  open: OpenInCrowd,
  rounds: number,
  alter: AlterPort = () => ({}),
): Promise<CrowdReport> {
  const namespace = freshNamespace();
  const stores = Array.from({ length: 8 }, () =>
    open(namespace, (port, another) => ({
      ...localClock(port, another),
      ...alter(port, another),
    })),
  );
  const ledger = new WindowLedger();
  let grants = 0;
  const takeTurns = async (store: LeaseStore, index: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const reply = await store.lease(crowdRequest(index, round), FAR_DEADLINE);
      if (reply.outcome !== 'new') await delay(3);
      else {
        grants += 1;
        ledger.grant(reply);
      }
    }
  };
  await Promise.all(stores.map(takeTurns));
  await Promise.all(stores.map((store) => store.close()));
  return { grants, overlaps: ledger.overlaps() };
}

function crowdRequest(store: number, round: number): LeaseRequest {
  return requestOf(0, {
    nonce: `${store}-${round}`,
    workerCount: 3,
    windowMs: 20,
    maxSkewMs: 1,
    searchSeed: (store * 7919 + round * 104_729) % 2 ** 31,
  });
}

/** Many stores start at once in one namespace. Returns the worker IDs that they get, or -1, and how often they tried to write. */
export async function startAll(
  open: OpenInCrowd,
  count: number,
): Promise<{ readonly workerIds: readonly number[]; readonly writes: number }> {
  const namespace = freshNamespace();
  let writes = 0;
  const openCounted = (): LeaseStore =>
    open(namespace, (port) => ({
      commit: (changes) => {
        writes += 1;
        return port.commit(changes);
      },
    }));
  const [first, ...stores] = Array.from({ length: count + 1 }, openCounted);
  if (!first) throw new Error('expected a store');
  await firstGrant(first);
  const start = (store: LeaseStore, holder: number): Promise<LeaseReply> =>
    store.lease(
      requestOf(holder + 2, {
        workerCount: 1024,
        layout: 'contract layout',
        searchSeed: (holder * 2_654_435_761) % 2 ** 31,
      }),
      FAR_DEADLINE,
    );
  const replies = await Promise.all(stores.map(start));
  await Promise.all([first, ...stores].map((store) => store.close()));
  return { workerIds: replies.map((reply) => (reply.outcome === 'new' ? reply.workerId : -1)), writes };
}
