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
   * Bounds: a lease store.
   *
   * Processes that must not make equal IDs need one store. Without a store, the maker keeps its lease in memory if `NODE_ENV` is
   * `development` or `test`, and throws otherwise.
   *
   * @defaultValue none, or a store in memory in development and tests
   */
  store?: LeaseStore;
  /**
   * Widths and order of the fields, or the name of a preset.
   *
   * All processes of a namespace use the same layout. Never change it within a namespace.
   *
   * @defaultValue 41 + 10 + 12 bits
   */
  layout?: BitLayoutOptions | LayoutPresetName;
  /**
   * The instant that timestamps count from.
   * Bounds: not in the future.
   *
   * A string must be a date alone, which means UTC, or a date and a time with `Z` or an offset. A number counts
   * milliseconds, never seconds. Never change the epoch within a namespace.
   *
   * @defaultValue `'2024-01-01T00:00:00Z'`, or the epoch of the preset
   */
  epoch?: Instant;
  /**
   * Value of the datacenter field, the same for all processes of a datacenter.
   * Bounds: 0 to the largest value of the field.
   *
   * Datacenters with different IDs never make equal IDs, so each of them can have a lease store of its own.
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
   * Name of this process, which `inspect()` and the console show.
   * Bounds: a string that is not empty.
   *
   * The store keeps the first 64 characters and replaces everything but letters, digits, `.`, `_`, `/` and `-`.
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
