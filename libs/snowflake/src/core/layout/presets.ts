import type { BitLayoutOptions } from './bit-layout-options.js';
import { InvalidOptionError } from '../errors/input-errors.js';

/** A published layout with its epoch. */
export interface LayoutPreset {
  readonly layout: Readonly<BitLayoutOptions>;
  /** Unix time in milliseconds. */
  readonly epoch: number;
}

/**
 * Layouts of published generators, for decoding their IDs or continuing with the same layout. Each was checked against
 * its source; if the source gives an ID and its fields, a test decodes it.
 *
 * Sources that count 64 bits include the sign bit in the timestamp. Here it stays 0 and belongs to no field, so
 * `discord` and `instagram` have one bit less. Their IDs don't need it before the date given.
 *
 * - `twitter`: 41 bits of ms since 2010-11-04, 5 datacenter, 5 worker, 12 sequence; until 2080.
 *   Source: twitter-archive/snowflake, `IdWorker.scala`.
 * - `discord`: the same widths since 2015-01-01; until 2084. Discord calls the datacenter "internal worker" and the
 *   worker "internal process". Source: Discord's API reference, "Snowflakes" (42 bits with the sign bit).
 * - `instagram`: 40 bits of ms since 2011-08-24, 13 worker (there: logical shard), 10 sequence; until 2046.
 *   Source: Instagram Engineering, "Sharding & IDs at Instagram" (41 bits with the sign bit).
 * - `ich`: 41 bits of ms since 1970-01-01, 10 worker, 12 sequence; until 2039. It counts local time, so its
 *   timestamps are off by the machine's UTC offset. Source: fuluteam/ICH.Snowflake, since November 2021. Earlier IDs
 *   have another layout: `{ timestampBits: 41, workerBits: 12, sequenceBits: 10 }` since 2000-01-01. There, more than
 *   1,024 IDs per millisecond overflowed into the worker ID.
 * - `sonyflake`: 39 bits of 10 ms since 2014-09-01, 8 sequence, 16 worker (there: machine), in that order; until 2188.
 *   Source: sony/sonyflake, version 1, `sonyflake.go`.
 * - `baidu`: 28 bits of seconds since 2016-05-20 in Beijing, 22 worker, 13 sequence. It ended on 2024-11-20, so it can
 *   decode IDs but not issue them. Source: baidu/uid-generator, defaults of `DefaultUidGenerator.java`.
 * - `jsSafe53`: 41 bits of ms since 2024-01-01, 5 worker, 7 sequence; until 2093. IDs are at most
 *   `Number.MAX_SAFE_INTEGER`. Source: this library.
 */
export const layoutPresets = deepFrozen({
  twitter: {
    layout: { timestampBits: 41, datacenterBits: 5, workerBits: 5, sequenceBits: 12 },
    epoch: 1288834974657,
  },
  discord: {
    layout: { timestampBits: 41, datacenterBits: 5, workerBits: 5, sequenceBits: 12 },
    epoch: 1420070400000,
  },
  instagram: {
    layout: { timestampBits: 40, workerBits: 13, sequenceBits: 10 },
    epoch: 1314220021721,
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
} as const satisfies Record<string, LayoutPreset>);

/** Name of a {@link layoutPresets | preset}. */
export type LayoutPresetName = keyof typeof layoutPresets;

/** Returns the preset of this name. @throws InvalidOptionError if the name is unknown */
export function layoutPreset(name: string): LayoutPreset {
  if (Object.hasOwn(layoutPresets, name)) return layoutPresets[name as LayoutPresetName];
  throw new InvalidOptionError(
    'layout',
    name,
    'is not a preset',
    `Use one of ${Object.keys(layoutPresets).join(', ')}, or pass an object of widths.`,
  );
}

/** A preset that changed while the process runs would give two makers of one name different layouts. */
function deepFrozen<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFrozen(part);
  return Object.freeze(value);
}
