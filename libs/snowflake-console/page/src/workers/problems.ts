import type { MakerFacts } from '../../../src/api/console-api.js';
import { isReplaced } from './cells.js';
import type { Observations } from './observations.js';
import { timesOf } from './observations.js';

/** What an operator has to look at. Each has a message, a runbook, and values for its message. */
export type Problem =
  /** The store can't be read, and the last values are shown, if there are any. */
  | { readonly kind: 'store'; readonly code: string; readonly isOld: boolean }
  | { readonly kind: 'unreadable'; readonly fields: readonly string[] }
  /** The maker of this process can't renew its lease, or has nothing left. */
  | { readonly kind: 'degraded' | 'exhausted'; readonly idsLeft?: number; readonly code?: string }
  /** The clocks of these processes are wrong, that of the app first. */
  | { readonly kind: 'clock'; readonly clocks: readonly WrongClock[] }
  | { readonly kind: 'history'; readonly count: number }
  | { readonly kind: 'waits'; readonly untilMs: number; readonly leftMs: number }
  | { readonly kind: 'incidents'; readonly count: number }
  | { readonly kind: 'offline'; readonly count: number; readonly lastMs: number }
  | { readonly kind: 'layoutEnds'; readonly endsMs: number };

/** The clock of a process that differs from the store's. */
export interface WrongClock {
  readonly process: string;
  readonly aheadMs: number;
}

const DAY_MS = 86_400_000;
/** As the alert SnowflakeLayoutEnds. */
const SOON_MS = 2 * 365 * DAY_MS;
/** A difference of the clocks that the delay of an answer doesn't explain. */
export const NOTABLE_MS = 1000;
/** As `maxSkewMs` is by default: the library corrects a larger difference. An answer can take as long as a smaller one. */
const LARGEST_SKEW_MS = 5000;

/** Returns the problems of a maker and its namespace, the most urgent first. */
export function problemsOf(
  seen: Observations,
  storeNowMs: number | undefined,
  facts: MakerFacts | undefined,
): readonly Problem[] {
  const { registry, watch } = seen;
  const { status } = watch;
  return [
    ...storeProblems(seen),
    ...clockProblems(seen, facts),
    ...historyProblems(seen, storeNowMs),
    ...(registry?.unreadable ? [{ kind: 'unreadable', fields: registry.unreadable } as const] : []),
    ...incidentProblems(seen),
    ...offlineProblems(seen, storeNowMs),
    ...(status && status.expiresAtMs - watch.hostNowMs < SOON_MS
      ? [{ kind: 'layoutEnds', endsMs: status.expiresAtMs } as const]
      : []),
  ];
}

/** What an unreachable store means for this process says more than that the page can't read it. */
function storeProblems({ watch: { status, registryErrorCode: code }, registry }: Observations): Problem[] {
  const { state, idsLeft } = status ?? {};
  if (state === 'degraded' || state === 'exhausted') return [{ kind: state, idsLeft, code }];
  return code === undefined ? [] : [{ kind: 'store', code, isOld: registry !== undefined }];
}

function clockProblems(seen: Observations, facts: MakerFacts | undefined): Problem[] {
  const workers = seen.registry?.workers ?? [];
  const ownId = seen.watch.status?.workerId;
  const others = workers
    .filter(({ workerId, state, ...row }) => state === 'held' && workerId !== ownId && isNotable(row))
    .map(({ workerId, holder, clockCorrectionMs = 0 }) => ({
      process: holder ?? String(workerId),
      aheadMs: -clockCorrectionMs,
    }));
  const own = ownClock(seen, facts);
  const clocks = [...(own ? [own] : []), ...others];
  return clocks.length > 0 ? [{ kind: 'clock', clocks }] : [];
}

function isNotable({ clockCorrectionMs = 0 }: { readonly clockCorrectionMs?: number }): boolean {
  return Math.abs(clockCorrectionMs) >= NOTABLE_MS;
}

/** Without a correction, the difference that this page has seen counts. The store decides what time it is. */
function ownClock({ watch, registry }: Observations, facts: MakerFacts | undefined): WrongClock | undefined {
  const { status } = watch;
  const correctionMs = status?.clockCorrectionMs ?? 0;
  const seenMs = watch.registry ? watch.registry.storeNowMs - watch.hostNowMs : 0;
  const isCorrected = isNotable({ clockCorrectionMs: correctionMs });
  if (!isCorrected && Math.abs(seenMs) < LARGEST_SKEW_MS) return undefined;
  const behindMs = isCorrected ? correctionMs : seenMs;
  const own = registry?.workers.find(({ workerId }) => workerId === status?.workerId)?.holder;
  return { process: own ?? facts?.name ?? watch.name, aheadMs: -behindMs };
}

function historyProblems({ historyChanges, registry }: Observations, storeNowMs?: number): Problem[] {
  const untilMs = registry?.grantsAfterMs;
  const isWaiting = untilMs !== undefined && storeNowMs !== undefined && untilMs > storeNowMs;
  return [
    ...(historyChanges.length > 0 ? [{ kind: 'history', count: historyChanges.length } as const] : []),
    ...(isWaiting ? [{ kind: 'waits', untilMs, leftMs: untilMs - storeNowMs } as const] : []),
  ];
}

function incidentProblems({ incidents }: Observations): Problem[] {
  const count = [...incidents.values()].reduce((sum, incident) => sum + timesOf(incident), 0);
  return count > 0 ? [{ kind: 'incidents', count }] : [];
}

/** A process that went offline long ago is no news, but its worker ID stays listed until another process gets it. */
function offlineProblems({ registry }: Observations, storeNowMs?: number): Problem[] {
  if (!registry || storeNowMs === undefined) return [];
  const times = registry.workers
    .filter((row) => row.state === 'offline' && !isReplaced(registry, row))
    .map(({ reservedUntilMs }) => reservedUntilMs)
    .filter((sinceMs) => storeNowMs - sinceMs < DAY_MS);
  return times.length > 0 ? [{ kind: 'offline', count: times.length, lastMs: Math.max(...times) }] : [];
}
