import type { Redis } from 'ioredis';
import type { Settings } from '../settings.js';
import type { LeaseClaim } from 'nestjs-snowflake/store';
import { acquireRequest, renewalRequest } from '../../support/lease-request.js';
import { type Stage, WINDOW_MS } from '../stage.js';

/**
 * CPU time of the Redis process per call of each kind, network included, in microseconds: the minimum of the batches. A call does the
 * same work each time, and other processes on the host can only add to it.
 */
export type CallCosts = Readonly<
  Record<'renewal' | 'freshClaim' | 'offlineClaim' | 'offlineClaimOfMany', { cpuUs: number }>
>;

const WARM_UP_CALLS = 20;
const WORKER_IDS = 1024;

/** @param step is called once per kind */
export async function measureCallCosts(
  stage: Stage,
  settings: Settings,
  step: (note: string) => void,
): Promise<CallCosts> {
  const measure = async (note: string, call: () => Promise<void>): Promise<{ cpuUs: number }> => {
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
  const request = acquireRequest(WORKER_IDS, WINDOW_MS);
  let lease: LeaseClaim = await stage.acquire(store, 'renewing', WORKER_IDS);
  return async () => {
    const reply = await store.lease(renewalRequest(request, lease));
    if (reply.outcome !== 'kept') throw new Error(`A renewal was answered with ${reply.outcome}`);
    lease = { ...lease, ...reply };
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
): Promise<{ cpuUs: number }> {
  const cpuUs: number[] = [];
  for (let warmUp = 0; warmUp < WARM_UP_CALLS; warmUp += 1) await call();
  for (let batch = 0; batch < batches; batch += 1) {
    const beforeUs = await usedCpuUs(redis);
    for (let made = 0; made < callsPerBatch; made += 1) await call();
    cpuUs.push(((await usedCpuUs(redis)) - beforeUs) / callsPerBatch);
  }
  return { cpuUs: Math.min(...cpuUs) };
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
