import type { Made, Maker } from '../rivals/rival.js';
import { ownAsyncLoop, ownLoop } from './own-loop.js';

/** Calls a source of IDs so often; what it made is in {@link kept}. */
export interface SourceLoop {
  readonly kept: Exclude<Made, Promise<string>>[];
  run(calls: number): void | Promise<void>;
}

/**
 * A loop around a source of IDs, whether it answers at once or later. Takes one ID of it to see which.
 *
 * @param mostCalls how many calls a run makes at most: room for what they make
 */
export function loopOf(source: () => Made, mostCalls: number): SourceLoop {
  const kept: SourceLoop['kept'] = new Array(mostCalls);
  const isAsync = source() instanceof Promise;
  const run = isAsync
    ? ownAsyncLoop(source as () => Promise<string>, kept as string[])
    : ownLoop(source as () => Exclude<Made, Promise<string>>, kept);
  return { kept, run };
}

/** The faster of the two: bigints, where there are any. */
export function sourceOf({ bigint, string }: Maker): NonNullable<Maker['bigint']> {
  const source = bigint ?? string;
  if (!source) throw new Error('A rival makes neither bigints nor strings');
  return source;
}
