import { visible } from 'nestjs-snowflake/core';
import { registryOverview } from 'nestjs-snowflake/store';
import type { RegistrySnapshot } from 'nestjs-snowflake/store';
import type { RegistryWatch, WorkerWatch } from '../api/console-api.js';

/** The maximum number of worker IDs per event. A layout can have two billion. */
export const MAX_WORKERS = 4096;
/** Bounds the texts of the registry before escaping, since any process with write access chooses them. */
const MAX_TEXT_LENGTH = 256;

/** Returns the shown part of a registry. Texts are bounded and escaped, lists are bounded. */
export function registryWatch(
  snapshot: RegistrySnapshot,
  range: { readonly first: number; readonly total: number },
): RegistryWatch {
  const overview = registryOverview(snapshot);
  const { storeNowMs, grantsAfterMs, historyId, layout, workers, unreadable, waiting, longestWaitMs } =
    overview;
  const shown = workers
    .slice(0, MAX_WORKERS)
    .map(({ workerId, state, holder, fencingToken, ...times }): WorkerWatch => ({
      workerId,
      state,
      holder: shownText(holder),
      windowFromMs: times.windowFromMs,
      claimedUntilMs: times.claimedUntilMs,
      reservedUntilMs: times.reservedUntilMs,
      clockCorrectionMs: times.clockCorrectionMs,
      // This is the part of the grant. Each renewal changes the rest.
      fencingToken: shownText(fencingToken?.split('~', 1)[0]),
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
    ...(waiting && { waiting }),
    ...(waiting && longestWaitMs !== undefined && { longestWaitSeconds: Math.floor(longestWaitMs / 1000) }),
    ...(unreadable && { unreadable: unreadable.slice(0, MAX_WORKERS).map(({ field }) => field) }),
  };
}

function shownText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return visible(text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`);
}
