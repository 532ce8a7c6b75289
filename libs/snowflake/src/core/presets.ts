import type { BitLayoutOptions } from './bit-layout-options.js';
import { InvalidOptionError } from './errors.js';

/** A published layout and the epoch that goes with it. */
export interface LayoutPreset {
  readonly layout: Readonly<BitLayoutOptions>;
  /** Unix time in milliseconds. */
  readonly epoch: number;
}

/**
 * Layouts of published generators, to decode the IDs that they made or to go on with them.
 *
 * - `twitter`: 41 bits of ms since 2010-11-04, 5 datacenter, 5 worker, 12 sequence.
 * - `discord`: the same widths since 2015-01-01. Discord's field has a 42nd bit, which stays 0 until 2084.
 * - `ich`: 41 bits of ms, 10 worker, 12 sequence since 1970-01-01 (ICH.Snowflake's default); ends in 2039.
 * - `sonyflake`: 39 bits of 10 ms since 2014-09-01, 8 sequence, 16 machine, in that order.
 * - `baidu`: 28 bits of seconds since 2016-05-20, 22 worker, 13 sequence (uid-generator).
 * - `jsSafe53`: 41 bits of ms since 2024-01-01, 5 worker, 7 sequence: fits a JavaScript number.
 */
export const layoutPresets = {
  twitter: {
    layout: { timestampBits: 41, datacenterBits: 5, workerBits: 5, sequenceBits: 12 },
    epoch: 1288834974657,
  },
  discord: {
    layout: { timestampBits: 41, datacenterBits: 5, workerBits: 5, sequenceBits: 12 },
    epoch: 1420070400000,
  },
  ich: { layout: { timestampBits: 41, workerBits: 10, sequenceBits: 12 }, epoch: 0 },
  sonyflake: {
    layout: { timestampBits: 39, tickMs: 10, sequenceBits: 8, workerBits: 16, order: ['sequence', 'worker'] },
    epoch: 1409529600000,
  },
  baidu: {
    layout: { timestampBits: 28, tickMs: 1000, workerBits: 22, sequenceBits: 13 },
    epoch: 1463673600000,
  },
  jsSafe53: { layout: { timestampBits: 41, workerBits: 5, sequenceBits: 7 }, epoch: 1704067200000 },
} as const satisfies Record<string, LayoutPreset>;

/** Name of a {@link layoutPresets | preset}. */
export type LayoutPresetName = keyof typeof layoutPresets;

/** Looks a preset up by name. @throws InvalidOptionError on an unknown name */
export function layoutPreset(name: string): LayoutPreset {
  if (Object.hasOwn(layoutPresets, name)) return layoutPresets[name as LayoutPresetName];
  throw new InvalidOptionError(
    'layout',
    name,
    'is no preset',
    `Use one of ${Object.keys(layoutPresets).join(', ')}, or an object of widths.`,
  );
}
