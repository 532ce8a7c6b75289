import type { MakerFacts, RegistryWatch, WatchEvent, WorkerWatch } from '../../../src/api/console-api.js';

/**
 * `own`: a maker of this process holds the worker ID. `replaced`: its process holds another one by now, as after an outage that outlasted its
 * window. `unused`: it was never granted. `unreadable`: unknown.
 */
export type CellState = 'own' | WorkerWatch['state'] | 'replaced' | 'unused' | 'unreadable';

/** The states in the order of the legend. */
export const CELL_STATES: readonly CellState[] = [
  'own',
  'held',
  'offline',
  'replaced',
  'released',
  'reserved',
  'unused',
  'unreadable',
];

/** The states that the legend shows without a worker ID in them, too. */
export const USUAL_STATES: ReadonlySet<CellState> = new Set(['own', 'held', 'offline', 'released', 'unused']);

/** One worker ID. */
export interface Cell {
  readonly workerId: number;
  readonly state: CellState;
  readonly row?: WorkerWatch;
}

/** The number of worker IDs that fit on one screen. */
export const CELLS_AT_ONCE = 1024;

/** Returns the worker IDs from `from` on, at most {@link CELLS_AT_ONCE}. */
export function cellsOf(registry: RegistryWatch, own: ReadonlySet<number>, from: number): readonly Cell[] {
  const end = Math.min(from + CELLS_AT_ONCE, registry.first + registry.total);
  const rows = new Map(registry.workers.map((row) => [row.workerId, row]));
  return Array.from({ length: Math.max(0, end - from) }, (_, index) => {
    const workerId = from + index;
    const row = rows.get(workerId);
    return { workerId, state: stateOf(registry, workerId, row, own), row };
  });
}

function stateOf(
  registry: RegistryWatch,
  workerId: number,
  row: WorkerWatch | undefined,
  own: ReadonlySet<number>,
): CellState {
  if (own.has(workerId)) return 'own';
  if (row) return isReplaced(registry, row) ? 'replaced' : row.state;
  return isUnreadable(registry, workerId) ? 'unreadable' : 'unused';
}

/** How many worker IDs are held under each name. An event never changes its registry. */
const heldBy = new WeakMap<RegistryWatch, ReadonlyMap<string, number>>();

function heldIn(registry: RegistryWatch): ReadonlyMap<string, number> {
  const known = heldBy.get(registry);
  if (known) return known;
  const held = new Map<string, number>();
  for (const { state, holder } of registry.workers)
    if (state === 'held' && holder !== undefined) held.set(holder, (held.get(holder) ?? 0) + 1);
  heldBy.set(registry, held);
  return held;
}

/**
 * Returns whether the window of a worker ID has passed, but its process holds another one by now. A name that several hold tells nothing:
 * an app can give all its processes the same.
 */
export function isReplaced(registry: RegistryWatch, { state, holder }: WorkerWatch): boolean {
  return state === 'offline' && holder !== undefined && heldIn(registry).get(holder) === 1;
}

/** Returns one worker ID. */
export function cellOf(registry: RegistryWatch, own: ReadonlySet<number>, workerId: number): Cell {
  const row = registry.workers.find((each) => each.workerId === workerId);
  return { workerId, state: stateOf(registry, workerId, row, own), row };
}

/** Returns whether the store holds something for a worker ID that the app can't read. */
export function isUnreadable({ unreadable = [] }: RegistryWatch, workerId: number): boolean {
  return unreadable.includes(String(workerId));
}

/** Counts all worker IDs of the layout by their state. */
export function countsOf(registry: RegistryWatch, own: ReadonlySet<number>): Record<CellState, number> {
  const { workers, unreadable = [], total, omitted = 0 } = registry;
  const counts = {
    own: 0,
    held: 0,
    offline: 0,
    replaced: 0,
    released: 0,
    reserved: 0,
    unused: 0,
    unreadable: 0,
  };
  for (const row of workers) counts[stateOf(registry, row.workerId, row, own)]++;
  // The other fields belong to the whole namespace.
  const unreadableIds = unreadable.map(Number).filter((workerId) => !Number.isNaN(workerId));
  for (const workerId of unreadableIds) counts[stateOf(registry, workerId, undefined, own)]++;
  counts.unused = Math.max(0, total - workers.length - unreadableIds.length - omitted);
  return counts;
}

/** Returns the worker IDs that the makers of this process hold in the namespace of `maker`. */
export function ownWorkerIds(
  { makers }: WatchEvent,
  facts: readonly MakerFacts[],
  maker: string,
): ReadonlySet<number> {
  const store = facts.find(({ name }) => name === maker)?.store;
  const sharing = new Set(facts.filter((each) => each.store === store).map(({ name }) => name));
  const sharers = makers.filter(({ name }) => name === maker || sharing.has(name));
  return new Set(sharers.flatMap(({ status }) => (status?.workerId === undefined ? [] : [status.workerId])));
}

/** Moves the focus in a grid of so many columns. Returns the index of the next cell, or undefined for any other key. */
export function nextIndex(
  key: string,
  index: number,
  count: number,
  columns: number,
  isWhole: boolean,
): number | undefined {
  const row = index - (index % columns);
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: index + columns,
    ArrowUp: index - columns,
    Home: isWhole ? 0 : row,
    End: isWhole ? count - 1 : Math.min(count, row + columns) - 1,
    PageDown: Math.min(index + 8 * columns, count - columns + (index % columns)),
    PageUp: Math.max(index - 8 * columns, index % columns),
  };
  const target = targets[key];
  if (target === undefined) return undefined;
  return target >= 0 && target < count ? target : index;
}
