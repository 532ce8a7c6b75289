import { median } from '../../support/quantile.js';
import type { Settings } from '../settings.js';
import type { Stage } from '../stage.js';

/** Many holders that acquire fresh worker IDs at once. */
export interface Crowd {
  readonly holders: number;
  readonly connections: number;
  /** From the first call to the last answer, connections being open, in milliseconds: the median of the rounds. */
  readonly medianMs: number;
}

/** @param step is called once per round */
export async function measureCrowd(
  stage: Stage,
  { crowd: holders, crowdConnections: connections, crowdRounds }: Settings,
  step: (note: string) => void,
): Promise<Crowd> {
  const tookMs: number[] = [];
  for (let round = 0; round < crowdRounds; round += 1) {
    step(`${holders} at once`);
    const namespace = `crowd-${round}`;
    const stores = await Promise.all(Array.from({ length: connections }, () => stage.store(namespace)));
    const startedMs = performance.now();
    await Promise.all(
      stores.flatMap((store, at) =>
        Array.from({ length: Math.ceil((holders - at) / connections) }, () =>
          stage.acquire(store, namespace, holders),
        ),
      ),
    );
    tookMs.push(performance.now() - startedMs);
    await Promise.all(stores.map((store) => store.close()));
  }
  return { holders, connections, medianMs: median(tookMs) };
}
