import type { MakerWatch, RegistryWatch, WorkerWatch } from '../../../src/console-api.js';

/** What was seen of one worker ID while it was watched. */
export interface Incident {
  readonly workerId: number;
  /** How often another grant followed although no release was seen. */
  readonly takeovers: number;
  /** How often its window passed without a renewal. */
  readonly lapses: number;
  /** By the clock of the store. */
  readonly lastMs: number;
  readonly holders: readonly string[];
}

export interface HistoryChange {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
}

export interface RateSample {
  readonly hostNowMs: number;
  readonly issued: number;
}

/** What a page has seen of one ID maker since it began to watch. */
export interface Observations {
  readonly watch: MakerWatch;
  /** The last registry that could be read, and the clock of the host at that time. */
  readonly registry?: RegistryWatch;
  readonly registryAtMs?: number;
  readonly incidents: ReadonlyMap<number, Incident>;
  readonly historyChanges: readonly HistoryChange[];
  readonly samples: readonly RateSample[];
}

/** Within a longer pause a worker ID may have been released and granted again, so nothing follows from a new token. */
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
      isFollowed && before.registry && watch.registry
        ? withIncidents(before.incidents, before.registry, watch.registry)
        : (before?.incidents ?? new Map()),
    historyChanges: withHistory(before, watch),
    samples: withSample(before?.samples ?? [], watch),
  };
}

function withIncidents(
  known: ReadonlyMap<number, Incident>,
  before: RegistryWatch,
  now: RegistryWatch,
): ReadonlyMap<number, Incident> {
  const rows = new Map(before.workers.map((row) => [row.workerId, row]));
  const incidents = new Map(known);
  for (const row of now.workers) {
    const earlier = rows.get(row.workerId);
    const seen = earlier && incidentBetween(earlier, row);
    if (!seen) continue;
    const past = incidents.get(row.workerId);
    incidents.set(row.workerId, {
      workerId: row.workerId,
      takeovers: (past?.takeovers ?? 0) + (seen === 'takeover' ? 1 : 0),
      lapses: (past?.lapses ?? 0) + (seen === 'lapse' ? 1 : 0),
      lastMs: now.storeNowMs,
      holders: withHolders(past?.holders ?? [], [earlier.holder, row.holder]),
    });
  }
  return incidents;
}

function incidentBetween(earlier: WorkerWatch, now: WorkerWatch): 'takeover' | 'lapse' | undefined {
  if (earlier.state === 'released' || now.state === 'released') return undefined;
  if (earlier.fencingToken !== now.fencingToken) return 'takeover';
  return earlier.state === 'held' && now.state === 'offline' ? 'lapse' : undefined;
}

function withHolders(known: readonly string[], seen: readonly (string | undefined)[]): readonly string[] {
  const holders = [...known];
  for (const holder of seen) if (holder !== undefined && holders.at(-1) !== holder) holders.push(holder);
  return holders.slice(-MOST_HOLDERS);
}

function withHistory(before: Observations | undefined, { registry }: MakerWatch): readonly HistoryChange[] {
  const changes = before?.historyChanges ?? [];
  const [from, to] = [before?.registry?.historyId, registry?.historyId];
  if (!registry || from === undefined || to === undefined || from === to) return changes;
  return [...changes, { atMs: registry.storeNowMs, from, to }].slice(-MOST_CHANGES);
}

function withSample(
  samples: readonly RateSample[],
  { hostNowMs, status }: MakerWatch,
): readonly RateSample[] {
  if (!status) return [];
  const last = samples.at(-1);
  // The counter starts anew with the process.
  const isSameProcess = last === undefined || (status.issued >= last.issued && hostNowMs > last.hostNowMs);
  return [...(isSameProcess ? samples : []), { hostNowMs, issued: status.issued }].slice(-MOST_SAMPLES);
}

/** Returns the worker IDs that something happened to, the most frequent first. */
export function incidentsOf({ incidents }: Observations): readonly Incident[] {
  const weight = ({ takeovers, lapses }: Incident): number => takeovers + lapses;
  return [...incidents.values()].sort((a, b) => weight(b) - weight(a) || b.lastMs - a.lastMs);
}

/** Returns the IDs per second between each two samples, the oldest first. */
export function ratesOf(samples: readonly RateSample[]): readonly number[] {
  return samples.slice(1).map(({ hostNowMs, issued }, index) => {
    const before = samples[index] ?? { hostNowMs: 0, issued };
    return ((issued - before.issued) * 1000) / (hostNowMs - before.hostNowMs);
  });
}
