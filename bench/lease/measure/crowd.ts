import type { LeaseStore } from 'nestjs-snowflake';
import type { Settings } from '../settings.js';
import { keyOf, type Stage } from '../stage.js';
import { median } from '../../support/quantile.js';

/** Many holders that acquire at once. */
export interface Crowd {
  readonly holders: number;
  readonly connections: number;
  /** Whether they take over worker IDs that are offline, instead of fresh ones. */
  readonly allUsed: boolean;
  readonly rounds: number;
  /** From the first call to the last answer, connections being open, in milliseconds. */
  readonly medianMs: number;
  readonly fastestMs: number;
  readonly slowestMs: number;
  /** Whether in every round all holders got different worker IDs. */
  readonly allDistinct: boolean;
  /** `MEMORY USAGE` of the registry afterwards, every row counted. */
  readonly registryBytes: number;
}

/** @param step is called once per round */
export async function measureCrowd(
  stage: Stage,
  settings: Settings,
  { connections, allUsed }: Pick<Crowd, 'connections' | 'allUsed'>,
  step: (note: string) => void,
): Promise<Crowd> {
  const { crowd: workerCount, crowdRounds: rounds } = settings;
  // Filling the registry takes a worker ID itself.
  const holders = allUsed ? workerCount - 1 : workerCount;
  const tookMs: number[] = [];
  let allDistinct = true;
  let registryBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    step(`${holders} at once`);
    const namespace = `crowd-${connections}-${allUsed ? 'used' : 'fresh'}-${round}`;
    const stores = await Promise.all(Array.from({ length: connections }, () => stage.store(namespace)));
    if (allUsed) await stage.useAll(storeFor(stores, 0), namespace, workerCount);
    const startedMs = performance.now();
    const acquiring = Array.from({ length: holders }, (_, holder) =>
      stage.acquire(storeFor(stores, holder), namespace, workerCount),
    );
    await Promise.all(acquiring);
    tookMs.push(performance.now() - startedMs);
    allDistinct &&= stage.granted.countOf(namespace) === workerCount;
    registryBytes = Number(await stage.redis.call('MEMORY', 'USAGE', keyOf(namespace), 'SAMPLES', '0'));
    await Promise.all(stores.map((store) => store.close()));
  }
  return {
    holders,
    connections,
    allUsed,
    rounds,
    medianMs: median(tookMs),
    fastestMs: Math.min(...tookMs),
    slowestMs: Math.max(...tookMs),
    allDistinct,
    registryBytes,
  };
}

function storeFor(stores: readonly LeaseStore[], holder: number): LeaseStore {
  const store = stores[holder % stores.length];
  if (!store) throw new Error('There is no store');
  return store;
}
