import type { BitLayoutOptions, Clock, GeneratorOptions, Instant, LayoutPresetName } from '../core/index.js';
import type { LeaseOptions, LeaseStore } from '../lease/index.js';

/** Options of a {@link SnowflakeIdMaker}. */
export interface SnowflakeOptions extends GeneratorOptions {
  /** Where worker IDs are leased, e.g. `redisLeaseStore({ url, namespace: 'shop' })`. Required. */
  store: LeaseStore;
  /**
   * Widths of the fields, or the name of a preset. Default: 41 bits of milliseconds, 10 worker, 12 sequence.
   * Never change it within a namespace.
   */
  layout?: BitLayoutOptions | LayoutPresetName;
  /** What timestamps count from. Default: the preset's, else 2024-01-01T00:00:00Z. Never change it within a namespace. */
  epoch?: Instant;
  /** Value of the datacenter field, the same for all processes of a datacenter. Default 0. Bounds: the field's width. */
  datacenterId?: number;
  /** How the worker ID is leased. */
  lease?: LeaseOptions;
  /** Name of this process in the lease store, for people. Default: host name, process ID, and that of a worker thread. */
  holderName?: string;
}

/** Parts that tests and frameworks put in the place of the ordinary ones. */
export interface SnowflakeDependencies {
  /** Default: the system clock. */
  clock?: Clock;
}
