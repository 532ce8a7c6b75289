import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { FAR_DEADLINE, requestOf } from '../../../../libs/snowflake/src/store-testing/store-under-test.js';
import { WindowLedger } from '../../../../libs/snowflake/src/store-testing/window-ledger.js';
import type { EtcdLeaseStore } from '../../../../libs/snowflake/src/stores/etcd/etcd-lease-store.js';
import { type AlterPort, freshNamespace, openStore } from './stores.js';

/** A finer clock than that of etcd, and the same for all, so that windows end while the crowd waits. */
const localClock: AlterPort = (port) => ({
  read: async (keys) => {
    const { entries, server } = await port.read(keys);
    return { entries, server: { ...server, nowMs: Date.now() } };
  },
});

/** What happened in a crowd. */
export interface CrowdReport {
  readonly grants: number;
  /** A description of each overlap of two windows of one worker ID. */
  readonly overlaps: readonly string[];
}

/** Eight stores take over one worker ID after the other, of far fewer than there are stores. */
export async function crowdOn(
  url: string,
  rounds: number,
  alter: AlterPort = () => ({}),
): Promise<CrowdReport> {
  const namespace = freshNamespace();
  const stores = Array.from({ length: 8 }, () =>
    openStore({ url, namespace }, (port, another) => ({
      ...localClock(port, another),
      ...alter(port, another),
    })),
  );
  const ledger = new WindowLedger();
  let grants = 0;
  const takeTurns = async (store: EtcdLeaseStore, index: number): Promise<void> => {
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
