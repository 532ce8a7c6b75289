import { InvalidOptionError } from '../core/errors/input-errors.js';
import { requireObject } from '../core/options/option-checks.js';
import { claimedByImports, clockCorrectionOf, holderOf } from './fencing-token.js';
import type { RegistryRow, RegistrySnapshot } from './lease-store.js';
import { workerRangeOf } from './namespace-fingerprint.js';

/**
 * `held`: its holder renews it. `offline`: its window passed without a renewal. `released`: its process released it. `reserved`:
 * `backfill()` keeps it for imports, and no process ever gets it.
 */
export type WorkerState = 'held' | 'offline' | 'released' | 'reserved';

/** One worker ID that was ever used. Times are Unix time in milliseconds, by the clock of the store. */
export interface WorkerOverview {
  readonly workerId: number;
  readonly state: WorkerState;
  /** Fencing token of the last grant or renewal; absent after a release. */
  readonly fencingToken?: string;
  /** The name of the process: host, process ID and thread ID, or `holderName`. */
  readonly holder?: string;
  /**
   * Where the window of this grant begins: only its holder can have issued IDs of this worker ID with timestamps after this,
   * up to `reservedUntilMs`. It can be earlier than the grant. Absent after a release.
   */
  readonly windowFromMs?: number;
  /**
   * How far the process had corrected its clock at the last renewal, in milliseconds: positive if its clock is behind that of the store.
   * Absent if it corrects nothing, before the first renewal, and for processes that don't report it.
   */
  readonly clockCorrectionMs?: number;
  readonly windowLeftMs?: number;
  readonly offlineSinceMs?: number;
  /** The last timestamp that imports have claimed. Absent unless the worker ID is reserved for them. */
  readonly claimedUntilMs?: number;
  readonly reservedUntilMs: number;
}

/** The registry of a namespace, prepared for display. */
export interface RegistryOverview extends Omit<RegistrySnapshot, 'rows'> {
  /** The first worker ID of the layout; absent if nothing is stored. */
  readonly first?: number;
  /** How many worker IDs the layout has; absent if nothing is stored. */
  readonly total?: number;
  readonly used: number;
  readonly counts: Readonly<Record<WorkerState, number>>;
  readonly workers: readonly WorkerOverview[];
}

const REMEDY = 'Pass what inspect() of an ID maker or a store returns.';

/**
 * Derives who holds which worker ID from what `inspect()` has read.
 *
 * @throws InvalidOptionError if `snapshot` is something else
 * @example
 * ```ts
 * const { counts } = registryOverview(await ids.inspect());
 * console.log(`${counts.held} worker IDs are held, ${counts.offline} are offline.`);
 * ```
 */
export function registryOverview(snapshot: RegistrySnapshot): RegistryOverview {
  requireObject('snapshot', snapshot, REMEDY);
  const { rows, ...header } = snapshot;
  if (!Array.isArray(rows)) throw new InvalidOptionError('snapshot.rows', rows, 'is not an array', REMEDY);
  const workers = rows.map((row) => workerOf(row, header.storeNowMs));
  const range = workerRangeOf(header.layout);
  const counts = { held: 0, offline: 0, released: 0, reserved: 0 };
  for (const { state } of workers) counts[state] += 1;
  return {
    ...header,
    first: range?.first,
    total: range?.count,
    used: workers.length,
    counts,
    workers,
  };
}

/** Returns whether a store holds nothing of a namespace: it is new, misspelled or was wiped. */
export function isEmptyRegistry({ layout, rows, unreadable }: RegistrySnapshot): boolean {
  return layout === undefined && rows.length === 0 && unreadable === undefined;
}

function workerOf({ workerId, reservedUntilMs, fencingToken }: RegistryRow, nowMs: number): WorkerOverview {
  if (fencingToken === '') return { workerId, state: 'released', reservedUntilMs };
  const claimedUntilMs = claimedByImports(fencingToken);
  if (claimedUntilMs !== undefined)
    return { workerId, state: 'reserved', fencingToken, claimedUntilMs, reservedUntilMs };
  const { holder, windowFromMs } = holderOf(fencingToken) ?? {};
  const windowLeftMs = reservedUntilMs - nowMs;
  const clockCorrectionMs = clockCorrectionOf(fencingToken);
  const grant = {
    workerId,
    fencingToken,
    holder,
    windowFromMs,
    reservedUntilMs,
    ...(clockCorrectionMs !== undefined && { clockCorrectionMs }),
  };
  return windowLeftMs > 0
    ? { ...grant, state: 'held', windowLeftMs }
    : { ...grant, state: 'offline', offlineSinceMs: reservedUntilMs };
}
