import type { BitLayout } from 'nestjs-snowflake/core';

/** Why IDs of a time can't be composed. */
export type OfflineProblem = 'noTime' | 'beforeEpoch' | 'afterEnd';

/** Returns why a layout can't hold so many IDs from a time on, or undefined if it can. */
export function offlineProblem(
  layout: BitLayout,
  timeMs: number | undefined,
  sequence: number,
  count: number,
): OfflineProblem | undefined {
  if (timeMs === undefined) return 'noTime';
  const tick = layout.tickAt(timeMs);
  if (tick < 0) return 'beforeEpoch';
  const furtherTicks = Math.floor((sequence + count - 1) / layout.idsPerTick);
  return tick + furtherTicks > layout.maxTick ? 'afterEnd' : undefined;
}
