import type { Redis } from 'ioredis';
import type { Settings } from '../settings.js';
import { acquireRequest, type Stage } from '../stage.js';
import { median, quantile } from '../../support/quantile.js';

/** The cost of calls of one kind. */
export interface CallCost {
  readonly calls: number;
  /**
   * CPU time of the Redis process, network included, in microseconds per call: the minimum of the batches. A call
   * does the same work each time, and other processes on the host can only add to it.
   */
  readonly cpuUs: number;
  /** The same, the median of the batches. */
  readonly cpuMedianUs: number;
  /** How long the script ran by the clock, in microseconds per call: the median of the batches. */
  readonly scriptUs: number;
  /** From the call to its answer on loopback, one call after the other, in microseconds. */
  readonly latencyP50Us: number;
  readonly latencyP99Us: number;
}

export interface CallCosts {
  readonly renewal: CallCost;
  readonly freshClaim: CallCost;
  readonly offlineClaim: CallCost;
  readonly offlineClaimOfMany: CallCost;
}

const WARM_UP_CALLS = 20;
const WORKER_IDS = 1024;

/** @param step is called once per kind */
export async function measureCallCosts(
  stage: Stage,
  settings: Settings,
  step: (note: string) => void,
): Promise<CallCosts> {
  const measure = async (note: string, call: () => Promise<void>): Promise<CallCost> => {
    step(note);
    return measureCalls(stage.redis, settings, call);
  };
  return {
    renewal: await measure('renewals', await renewing(stage)),
    freshClaim: await measure('fresh claims', await claiming(stage, 'fresh', WORKER_IDS, false)),
    offlineClaim: await measure('longest offline', await claiming(stage, 'used', WORKER_IDS, true)),
    offlineClaimOfMany: await measure(
      `longest offline of ${settings.manyWorkerIds}`,
      await claiming(stage, 'many', settings.manyWorkerIds, true),
    ),
  };
}

async function renewing(stage: Stage): Promise<() => Promise<void>> {
  const store = await stage.store('renewing');
  await stage.useAll(store, 'renewing', WORKER_IDS);
  const { workerId, fencingToken, untilMs } = await stage.acquire(store, 'renewing', WORKER_IDS);
  const request = { ...acquireRequest(WORKER_IDS), claim: { workerId, fencingToken, untilMs } };
  return async () => {
    const { outcome } = await store.lease(request);
    if (outcome !== 'kept') throw new Error(`A renewal was answered with ${outcome}`);
  };
}

async function claiming(
  stage: Stage,
  namespace: string,
  workerCount: number,
  allUsed: boolean,
): Promise<() => Promise<void>> {
  const store = await stage.store(namespace);
  if (allUsed) await stage.useAll(store, namespace, workerCount);
  return async () => {
    await stage.acquire(store, namespace, workerCount);
  };
}

async function measureCalls(
  redis: Redis,
  { batches, callsPerBatch }: Settings,
  call: () => Promise<void>,
): Promise<CallCost> {
  const latenciesUs: number[] = [];
  const cpuUs: number[] = [];
  const scriptUs: number[] = [];
  for (let warmUp = 0; warmUp < WARM_UP_CALLS; warmUp += 1) await call();
  for (let batch = 0; batch < batches; batch += 1) {
    await redis.config('RESETSTAT');
    const cpuBeforeUs = await usedCpuUs(redis);
    for (let made = 0; made < callsPerBatch; made += 1) {
      const startedMs = performance.now();
      await call();
      latenciesUs.push((performance.now() - startedMs) * 1000);
    }
    cpuUs.push(((await usedCpuUs(redis)) - cpuBeforeUs) / callsPerBatch);
    scriptUs.push(await scriptUsPerCall(redis));
  }
  return {
    calls: batches * callsPerBatch,
    cpuUs: Math.min(...cpuUs),
    cpuMedianUs: median(cpuUs),
    scriptUs: median(scriptUs),
    latencyP50Us: median(latenciesUs),
    latencyP99Us: quantile(latenciesUs, 0.99),
  };
}

/** User and system time of the process since its start. */
async function usedCpuUs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = [/used_cpu_user:([\d.]+)/, /used_cpu_sys:([\d.]+)/].map((part) =>
    Number(part.exec(info)?.[1]),
  );
  const sum = seconds.reduce((a, b) => a + b, 0);
  if (Number.isNaN(sum)) throw new Error('Redis does not report its CPU time');
  return sum * 1e6;
}

/** The statistics of scripts in `INFO commandstats` since their reset, including the commands inside of a script. */
async function scriptUsPerCall(redis: Redis): Promise<number> {
  const stats = await redis.info('commandstats');
  const found = /cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(stats)?.[1];
  if (found === undefined) throw new Error('Redis has no statistics of EVALSHA');
  return Number(found);
}
