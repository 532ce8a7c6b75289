import { registryOverview, type RegistrySnapshot } from 'nestjs-snowflake/standalone';
import type { RegistryWatch, WorkerWatch } from '../api/console-api.js';

/** The most worker IDs of one event. A layout can have two billion. */
export const MAX_WORKERS = 4096;
/** Every process that can write the registry chooses texts in it, so their length needs a bound. */
const LONGEST_TEXT = 256;

/** Returns what people see of a registry, with all texts and lists bounded. */
export function registryWatch(
  snapshot: RegistrySnapshot,
  range: { readonly first: number; readonly total: number },
): RegistryWatch {
  const { storeNowMs, grantsAfterMs, historyId, layout, workers, ...overview } = registryOverview(snapshot);
  const shown = workers
    .slice(0, MAX_WORKERS)
    .map(({ workerId, state, holder, reservedUntilMs, fencingToken }): WorkerWatch => ({
      workerId,
      state,
      holder: cut(holder),
      reservedUntilMs,
      fencingToken: cut(fencingToken),
    }));
  return {
    storeNowMs,
    historyId: cut(historyId),
    layout: cut(layout),
    grantsAfterMs,
    first: overview.first ?? range.first,
    total: overview.total ?? range.total,
    workers: shown,
    ...(workers.length > shown.length && { omitted: workers.length - shown.length }),
  };
}

function cut(text: string | undefined): string | undefined {
  return text === undefined || text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
