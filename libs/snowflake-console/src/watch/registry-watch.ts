import { visible } from 'nestjs-snowflake/core';
import { registryOverview, type RegistrySnapshot } from 'nestjs-snowflake/standalone';
import type { RegistryWatch, WorkerWatch } from '../api/console-api.js';

/** The most worker IDs of one event. A layout can have two billion. */
export const MAX_WORKERS = 4096;
/** Every process that can write the registry chooses texts in it, so their length needs a bound, and escapes add to it. */
const LONGEST_TEXT = 256;

/** Returns what people see of a registry, with all texts bounded and visible, and all lists bounded. */
export function registryWatch(
  snapshot: RegistrySnapshot,
  range: { readonly first: number; readonly total: number },
): RegistryWatch {
  const overview = registryOverview(snapshot);
  const { storeNowMs, grantsAfterMs, historyId, layout, workers, unreadable } = overview;
  const shown = workers
    .slice(0, MAX_WORKERS)
    .map(({ workerId, state, holder, reservedUntilMs, fencingToken }): WorkerWatch => ({
      workerId,
      state,
      holder: shownText(holder),
      reservedUntilMs,
      fencingToken: shownText(fencingToken),
    }));
  return {
    storeNowMs,
    historyId: shownText(historyId),
    layout: shownText(layout),
    grantsAfterMs,
    first: overview.first ?? range.first,
    total: overview.total ?? range.total,
    workers: shown,
    ...(workers.length > shown.length && { omitted: workers.length - shown.length }),
    ...(unreadable && { unreadable: unreadable.slice(0, MAX_WORKERS).map(({ field }) => field) }),
  };
}

function shownText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return visible(text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`);
}
