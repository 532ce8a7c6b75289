import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { CallDeadline, LeaseClaim, LeaseReply } from 'nestjs-snowflake/store';
import { median } from '../../support/quantile.js';
import { TOKEN } from '../endpoints.js';
import type { LeaseStage } from '../lease-stage.js';
import { acquireRequest, renewalRequest } from '../../support/lease-request.js';
import type { Settings } from '../settings.js';
import { inTurns } from './in-turns.js';

const WAYS = ['straight', 'fetched', 'throughService'] as const;
type Way = (typeof WAYS)[number];

/** How long a renewal takes, one call after the other. */
export interface Renewal {
  readonly store: 'Redis' | 'PostgreSQL';
  /**
   * From the call to its reply on loopback: straight to the store, by `fetch()` alone without `remoteLeaseStore()`, and through the
   * service. The median of the rounds.
   */
  readonly latencyUs: Readonly<Record<Way, number>>;
}

type RenewedStore = Pick<LeaseStore, 'description' | 'open' | 'lease' | 'close'>;

const CALL_TIMEOUT_MS = 10_000;
const DEADLINE: CallDeadline = { timeoutMs: CALL_TIMEOUT_MS, remainingMs: () => CALL_TIMEOUT_MS };

/** @param step is called once per store and round */
export async function measureRenewals(
  stage: LeaseStage,
  settings: Settings,
  step: (note: string) => void,
): Promise<readonly Renewal[]> {
  const { url } = stage.server.ready;
  const measure = (name: Renewal['store'], namespace: string, straight: LeaseStore): Promise<Renewal> => {
    const stores = {
      straight,
      fetched: fetchingStore(`${url}/v1/leases/${namespace}`),
      throughService: remoteLeaseStore({ url, token: TOKEN, namespace }),
    };
    return measureStore(settings, () => step(`renewals, ${name}`), name, stores);
  };
  const redis = redisLeaseStore({ url: stage.redisUrl, namespace: 'straight' });
  const postgres = sqlLeaseStore({ url: stage.postgresUrl, namespace: 'straight', createTable: true });
  return [await measure('Redis', 'redis', redis), await measure('PostgreSQL', 'postgres', postgres)];
}

function fetchingStore(url: string): RenewedStore {
  const fixed = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  return {
    description: url,
    async lease(request) {
      const headers = { ...fixed, 'snowflake-call': crypto.randomUUID() };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
      return (await response.json()) as LeaseReply;
    },
    close: () => Promise.resolve(),
  };
}

async function measureStore(
  settings: Settings,
  step: () => void,
  name: Renewal['store'],
  stores: Readonly<Record<Way, RenewedStore>>,
): Promise<Renewal> {
  const renew = {
    straight: await renewing(stores.straight),
    fetched: await renewing(stores.fetched),
    throughService: await renewing(stores.throughService),
  };
  const latenciesUs = await inTurns(WAYS, settings, step, (way) =>
    medianUs(settings.renewalsPerRound, renew[way]),
  );
  await Promise.all(Object.values(stores).map((store) => store.close()));
  return {
    store: name,
    latencyUs: {
      straight: median(latenciesUs.straight),
      fetched: median(latenciesUs.fetched),
      throughService: median(latenciesUs.throughService),
    },
  };
}

/** Acquires a lease, and returns a function that renews it. */
async function renewing(store: RenewedStore): Promise<() => Promise<void>> {
  await store.open?.({ callTimeoutMs: CALL_TIMEOUT_MS });
  const acquired = acquireRequest(1024);
  const granted = await store.lease(acquired, DEADLINE);
  if (granted.outcome !== 'new') throw new Error(`${store.description} answered ${granted.outcome}`);
  let lease: LeaseClaim = granted;
  return async () => {
    const reply = await store.lease(renewalRequest(acquired, lease), DEADLINE);
    if (reply.outcome !== 'kept') throw new Error(`A renewal was answered with ${reply.outcome}`);
    lease = { ...lease, ...reply };
  };
}

async function medianUs(calls: number, renew: () => Promise<void>): Promise<number> {
  const latenciesUs: number[] = [];
  for (let made = 0; made < calls; made += 1) {
    const startedMs = performance.now();
    await renew();
    latenciesUs.push((performance.now() - startedMs) * 1000);
  }
  return median(latenciesUs);
}
