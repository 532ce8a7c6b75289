import type { BitLayout } from '../layout/bit-layout.js';
import type { Instant } from '../layout/bit-layout-options.js';
import { instantMs } from '../layout/instant.js';
import { InvalidOptionError } from '../errors/input-errors.js';

/** Where in the past an ID lies. */
interface Position {
  readonly tick: number;
  readonly sequence: number;
}

/**
 * Returns the ticks of instants. Those before the epoch get the first tick that a store can claim.
 *
 * @throws InvalidOptionError that names the first instant that is invalid or lower than the one before it, by its index
 */
export function pastTicks(layout: BitLayout, instants: readonly Instant[]): number[] {
  const lowest = Math.max(0, layout.tickAt(0) + 1);
  let previousMs = -Infinity;
  return instants.map((instant, index) => {
    const ms = instantMs(`instants[${index}]`, instant);
    if (ms < previousMs) {
      throw new InvalidOptionError(
        `instants[${index}]`,
        instant,
        `is earlier than instants[${index - 1}]`,
        'Sort the rows by their instant before you request their IDs.',
      );
    }
    previousMs = ms;
    return Math.max(lowest, layout.tickAt(ms));
  });
}

/**
 * Yields a position for each tick: the first unused one of the tick, or of the next tick that has one.
 *
 * @param first the first tick that may be used
 */
function* positions(
  { maxSequence }: BitLayout,
  ticks: readonly number[],
  first: number,
): Generator<Position> {
  let tick = first;
  let sequence = -1;
  for (const wanted of ticks) {
    if (wanted > tick) {
      tick = wanted;
      sequence = 0;
    } else if (sequence === maxSequence) {
      tick += 1;
      sequence = 0;
    } else sequence += 1;
    yield { tick, sequence };
  }
}

/** Returns the last tick that IDs for these ticks use. If they begin later, they end later by as much at most. */
export function lastPastTick(layout: BitLayout, ticks: readonly number[]): number {
  let last = ticks[0] ?? 0;
  for (const { tick } of positions(layout, ticks, last)) last = tick;
  return last;
}

/** Returns one ID for each of the ticks, strictly ascending, none below `first`. */
export function pastIds(
  layout: BitLayout,
  ticks: readonly number[],
  first: number,
  right: { readonly workerId: number; readonly datacenterId: number },
): string[] {
  return Array.from(positions(layout, ticks, first), (position) =>
    String(layout.compose({ ...right, ...position })),
  );
}
