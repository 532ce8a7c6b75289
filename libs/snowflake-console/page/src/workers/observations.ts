import type { MakerWatch, RegistryWatch, WorkerWatch } from '../../../src/api/console-api.js';
import { isUnreadable } from './cells.js';

/** The observations of one worker ID. */
export interface Incident {
  readonly workerId: number;
  /** How often another grant followed although no release was seen. */
  readonly takeovers: number;
  /** How often its window passed without a renewal. */
  readonly lapses: number;
  /** How often the store forgot it while it was held. */
  readonly losses: number;
  /** By the clock of the store. */
  readonly lastMs: number;
  readonly holders: readonly string[];
}

/** A sign that the store has lost its history, or a part of it. */
export interface HistoryChange {
  readonly atMs: number;
  /** The change of the history ID, if there was one. `to` is absent if the store has none anymore. */
  readonly history?: { readonly from: string; readonly to?: string };
  /** How many used worker IDs the store has forgotten. */
  readonly forgotten: number;
  /** The end of a wait that the store has begun. */
  readonly grantsAfterMs?: number;
}

export interface RateSample {
  readonly hostNowMs: number;
  readonly issued: number;
}

/** The observations of one ID maker since the page was opened. */
export interface Observations {
  readonly watch: MakerWatch;
  /** The last registry that could be read, and the clock of the host at that time. */
  readonly registry?: RegistryWatch;
  readonly registryAtMs?: number;
  readonly incidents: ReadonlyMap<number, Incident>;
  readonly historyChanges: readonly HistoryChange[];
  readonly samples: readonly RateSample[];
}

/** During a longer gap, a worker ID may have been released and granted again, so a new token proves nothing. */
export const LONGEST_GAP_MS = 10_000;
/** Two minutes of events. */
const MOST_SAMPLES = 60;
const MOST_CHANGES = 20;
const MOST_HOLDERS = 5;

/** Adds an event to what was seen before. */
export function observed(before: Observations | undefined, watch: MakerWatch): Observations {
  const registry = watch.registry ?? before?.registry;
  const isFollowed =
    before?.registryAtMs !== undefined && watch.hostNowMs - before.registryAtMs <= LONGEST_GAP_MS;
  return {
    watch,
    registry,
    registryAtMs: watch.registry ? watch.hostNowMs : before?.registryAtMs,
    incidents:
      before?.registry && watch.registry
        ? withIncidents(before.incidents, before.registry, watch.registry, isFollowed)
        : (before?.incidents ?? new Map()),
    historyChanges: withHistory(before, watch),
    samples: withSample(before?.samples ?? [], watch),
  };
}

type Happening = 'takeover' | 'lapse' | 'loss';

function withIncidents(
  known: ReadonlyMap<number, Incident>,
  before: RegistryWatch,
  now: RegistryWatch,
  isFollowed: boolean,
): ReadonlyMap<number, Incident> {
  const rows = new Map(now.workers.map((row) => [row.workerId, row]));
  const incidents = new Map(known);
  for (const earlier of before.workers) {
    const row = rows.get(earlier.workerId);
    const seen = row ? isFollowed && happeningBetween(earlier, row) : isLossOf(earlier, now);
    if (!seen) continue;
    incidents.set(
      earlier.workerId,
      withHappening(incidents.get(earlier.workerId), seen, earlier, row, now.storeNowMs),
    );
  }
  return incidents;
}

function withHappening(
  past: Incident | undefined,
  seen: Happening,
  earlier: WorkerWatch,
  row: WorkerWatch | undefined,
  atMs: number,
): Incident {
  return {
    workerId: earlier.workerId,
    takeovers: (past?.takeovers ?? 0) + (seen === 'takeover' ? 1 : 0),
    lapses: (past?.lapses ?? 0) + (seen === 'lapse' ? 1 : 0),
    losses: (past?.losses ?? 0) + (seen === 'loss' ? 1 : 0),
    lastMs: atMs,
    holders: withHolders(past?.holders ?? [], [earlier.holder, row?.holder]),
  };
}

function happeningBetween(earlier: WorkerWatch, now: WorkerWatch): Happening | undefined {
  if (earlier.state === 'released' || now.state === 'released') return undefined;
  if (grantOf(earlier) !== grantOf(now)) return 'takeover';
  return earlier.state === 'held' && now.state === 'offline' ? 'lapse' : undefined;
}

/** The part of a fencing token that all renewals of a grant have in common. */
function grantOf({ fencingToken }: WorkerWatch): string | undefined {
  return fencingToken?.replace(/~\d+~[^~]*$/, '');
}

function isLossOf(earlier: WorkerWatch, now: RegistryWatch): Happening | undefined {
  return earlier.state === 'held' && isForgotten(earlier, now) ? 'loss' : undefined;
}

/**
 * Returns whether the store has forgotten a worker ID, since no store deletes a used one. The list of the app is cut if there
 * are too many, so its end proves nothing, and unreadable worker IDs still exist.
 */
function isForgotten({ workerId }: WorkerWatch, now: RegistryWatch): boolean {
  if (isUnreadable(now, workerId)) return false;
  return now.omitted === undefined || workerId < (now.workers.at(-1)?.workerId ?? 0);
}

function withHolders(known: readonly string[], seen: readonly (string | undefined)[]): readonly string[] {
  const holders = [...known];
  for (const holder of seen) if (holder !== undefined && holders.at(-1) !== holder) holders.push(holder);
  return holders.slice(-MOST_HOLDERS);
}

function withHistory(before: Observations | undefined, { registry }: MakerWatch): readonly HistoryChange[] {
  const changes = before?.historyChanges ?? [];
  const change = before?.registry && registry && historyChangeBetween(before.registry, registry);
  return change ? [...changes, change].slice(-MOST_CHANGES) : changes;
}

/** Also compares the registry, because FLUSHALL empties the store without changing the history ID. */
function historyChangeBetween(before: RegistryWatch, now: RegistryWatch): HistoryChange | undefined {
  const rows = new Set(now.workers.map(({ workerId }) => workerId));
  const forgotten = before.workers.filter((row) => !rows.has(row.workerId) && isForgotten(row, now)).length;
  const [from, to] = [before.historyId, now.historyId];
  const isAnother = from !== undefined && from !== to;
  const isWaiting = (now.grantsAfterMs ?? 0) > (before.grantsAfterMs ?? Number.POSITIVE_INFINITY);
  if (!isAnother && forgotten === 0 && !isWaiting) return undefined;
  return {
    atMs: now.storeNowMs,
    forgotten,
    ...(isAnother && { history: { from, to } }),
    ...(isWaiting && { grantsAfterMs: now.grantsAfterMs }),
  };
}

function withSample(
  samples: readonly RateSample[],
  { hostNowMs, status }: MakerWatch,
): readonly RateSample[] {
  if (!status) return [];
  const last = samples.at(-1);
  // The counter restarts with the process.
  const isSameProcess = last === undefined || (status.issued >= last.issued && hostNowMs > last.hostNowMs);
  return [...(isSameProcess ? samples : []), { hostNowMs, issued: status.issued }].slice(-MOST_SAMPLES);
}

/** Returns the worker IDs with incidents, the most frequent first. */
export function incidentsOf({ incidents }: Observations): readonly Incident[] {
  return [...incidents.values()].sort((a, b) => timesOf(b) - timesOf(a) || b.lastMs - a.lastMs);
}

/** How often a worker ID has lost its holder. */
export function timesOf({ takeovers, lapses, losses }: Incident): number {
  return takeovers + lapses + losses;
}

/** Returns the IDs per second between each two samples, the oldest first. */
export function ratesOf(samples: readonly RateSample[]): readonly number[] {
  return samples.slice(1).map(({ hostNowMs, issued }, index) => {
    const before = samples[index] ?? { hostNowMs: 0, issued };
    return ((issued - before.issued) * 1000) / (hostNowMs - before.hostNowMs);
  });
}
