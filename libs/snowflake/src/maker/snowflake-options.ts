import type { BitLayoutOptions, Instant } from '../core/layout/bit-layout-options.js';
import type { Clock } from '../core/clock/clock.js';
import type { GeneratorOptions } from '../core/generator/generator-options.js';
import type { LayoutPresetName } from '../core/layout/presets.js';
import type { LeaseOptions } from '../lease/lease-options.js';
import type { LeaseStore } from '../lease/lease-store.js';

/** Options of a {@link SnowflakeIdMaker}. */
export interface SnowflakeOptions extends GeneratorOptions {
  /**
   * Where worker IDs are leased, e.g. `redisLeaseStore({ url, namespace: 'shop' })`.
   *
   * Without one, the ID maker keeps its lease in memory if `NODE_ENV` is `development` or `test`, and throws otherwise.
   *
   * @defaultValue none, or leases in memory in development and tests
   */
  store?: LeaseStore;
  /**
   * Widths and order of the fields, or the name of a preset. Use the same layout in all processes of a namespace, and never change it.
   *
   * @defaultValue 41 + 10 + 12 bits
   */
  layout?: BitLayoutOptions | LayoutPresetName;
  /**
   * The instant at which timestamps begin. Never change it within a namespace.
   * Bounds: not in the future.
   *
   * A string is a date (UTC), or a date and a time with `Z` or an offset. A number is Unix time in milliseconds, never seconds.
   *
   * @defaultValue `'2024-01-01T00:00:00Z'`, or the epoch of the preset
   */
  epoch?: Instant;
  /**
   * Value of the datacenter field, the same for all processes of a datacenter.
   * Bounds: 0 to the largest value of the field.
   *
   * Datacenters with different IDs never generate equal IDs, so each of them can have its own lease store.
   *
   * @defaultValue `0`
   */
  datacenterId?: number;
  /**
   * How the worker ID is leased.
   *
   * @defaultValue `{}`
   */
  lease?: LeaseOptions;
  /**
   * Name of this process, which `inspect()` and the console show, cut to 64 characters.
   * Bounds: a string that is not empty.
   *
   * @defaultValue host name, process ID and thread ID
   */
  holderName?: string;
}

/** Parts that tests replace. */
export interface SnowflakeDependencies {
  /**
   * Default: the system clock. Makers on different clock objects don't share the memory of fixed worker IDs, so they can repeat
   * each other's IDs.
   */
  clock?: Clock;
}
