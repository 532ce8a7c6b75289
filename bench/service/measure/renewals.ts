import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { CallDeadline, LeaseReply, LeaseRequest } from 'nestjs-snowflake/store';
import { median, medianRatio } from '../../support/quantile.js';
import { TOKEN } from '../endpoints.js';
import type { LeaseStage } from '../lease-stage.js';
import { acquireRequest } from '../lease-request.js';
import type { Settings } from '../settings.js';
import { inTurns } from './in-turns.js';

/** What a renewal costs, straight to the store and through the service, one call after the other. */
export interface Renewal {
  readonly store: 'Redis' | 'PostgreSQL';
  readonly calls: number;
  readonly straight: RenewalCost;
  /** The control: the same request by `fetch()` alone, without `remoteLeaseStore()`. */
  readonly fetched: RenewalCost;
  readonly throughService: RenewalCost;
  /** The medians of the ratios within each round, through the service to straight. */
  readonly latencyRatio: number;
  readonly cpuRatio: number;
}

export interface RenewalCost {
  /** From the call to its reply on loopback: the median. */
  readonly latencyP50Us: number;
  /** CPU time of the holder per call, and of the service, without the one of the database: the medians of the rounds. */
  readonly holderCpuUs: number;
  readonly serviceCpuUs: number;
}

const WAYS = ['straight', 'fetched', 'throughService'] as const;
type Way = (typeof WAYS)[number];

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
    return measureStore(stage, settings, () => step(`renewals, ${name}`), name, stores);
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
  stage: LeaseStage,
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
  const costs: Record<Way, RenewalCost[]> = { straight: [], fetched: [], throughService: [] };
  await inTurns(WAYS, settings, step, async (way) => {
    const cost = await costOfRound(stage, settings.renewalsPerRound, renew[way]);
    costs[way].push(cost);
    return cost.latencyP50Us;
  });
  await Promise.all(Object.values(stores).map((store) => store.close()));
  const counted = (way: Way): RenewalCost[] => costs[way].slice(settings.warmUpRounds);
  const ratio = (figure: (cost: RenewalCost) => number): number =>
    medianRatio(counted('throughService').map(figure), counted('straight').map(figure));
  return {
    store: name,
    calls: settings.rounds * settings.renewalsPerRound,
    straight: medianOf(counted('straight')),
    fetched: medianOf(counted('fetched')),
    throughService: medianOf(counted('throughService')),
    latencyRatio: ratio(({ latencyP50Us }) => latencyP50Us),
    cpuRatio: ratio(({ holderCpuUs, serviceCpuUs }) => holderCpuUs + serviceCpuUs),
  };
}

/** Acquires a lease, and returns a function that renews it. */
async function renewing(store: RenewedStore): Promise<() => Promise<void>> {
  await store.open?.({ callTimeoutMs: CALL_TIMEOUT_MS });
  const acquired = acquireRequest(1024);
  const granted = await store.lease(acquired, DEADLINE);
  if (granted.outcome !== 'new') throw new Error(`${store.description} answered ${granted.outcome}`);
  const { workerId, fencingToken, untilMs } = granted;
  const request: LeaseRequest = { ...acquired, claim: { workerId, fencingToken, untilMs } };
  return async () => {
    const { outcome } = await store.lease(request, DEADLINE);
    if (outcome !== 'kept') throw new Error(`A renewal was answered with ${outcome}`);
  };
}

async function costOfRound(
  { server }: LeaseStage,
  calls: number,
  renew: () => Promise<void>,
): Promise<RenewalCost> {
  const latenciesUs: number[] = [];
  let holderCpuUs = 0;
  const serviceCpuUs = await server.cpuUsOf(async () => {
    const before = process.cpuUsage();
    for (let made = 0; made < calls; made += 1) {
      const startedMs = performance.now();
      await renew();
      latenciesUs.push((performance.now() - startedMs) * 1000);
    }
    const { user, system } = process.cpuUsage(before);
    holderCpuUs = user + system;
  });
  return {
    latencyP50Us: median(latenciesUs),
    holderCpuUs: holderCpuUs / calls,
    serviceCpuUs: serviceCpuUs / calls,
  };
}

function medianOf(costs: readonly RenewalCost[]): RenewalCost {
  return {
    latencyP50Us: median(costs.map(({ latencyP50Us }) => latencyP50Us)),
    holderCpuUs: median(costs.map(({ holderCpuUs }) => holderCpuUs)),
    serviceCpuUs: median(costs.map(({ serviceCpuUs }) => serviceCpuUs)),
  };
}
