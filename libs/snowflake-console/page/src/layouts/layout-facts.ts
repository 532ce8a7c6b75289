import type { BitLayout } from 'nestjs-snowflake/core';

/** The capacity of a layout, for a table of layouts. */
export interface LayoutFacts {
  readonly widths: readonly { readonly name: string; readonly bits: number }[];
  readonly tickMs: number;
  readonly epochMs: number;
  readonly expiresMs: number;
  readonly workerIds: number;
  readonly idsPerSecondPerWorker: number;
  /** From when on JavaScript numbers round the IDs. Missing if they never do. */
  readonly roundsFromMs?: number;
}

/** Returns the capacity of a layout. */
export function factsOf(layout: BitLayout): LayoutFacts {
  return {
    widths: layout.fields.map(({ name, bits }) => ({ name, bits })),
    tickMs: layout.tickMs,
    epochMs: layout.epochMs,
    expiresMs: layout.expiresAt.getTime(),
    workerIds: (layout.maxWorkerId + 1) * (layout.maxDatacenterId + 1),
    idsPerSecondPerWorker: Math.floor((layout.idsPerTick * 1000) / layout.tickMs),
    roundsFromMs: roundsFromMs(layout),
  };
}

/** The first tick whose IDs pass `Number.MAX_SAFE_INTEGER`. */
function roundsFromMs(layout: BitLayout): number | undefined {
  const tick = 2 ** Math.max(0, 53 - layout.field('timestamp').shift);
  return tick <= layout.maxTick ? layout.startOfTick(tick) : undefined;
}
