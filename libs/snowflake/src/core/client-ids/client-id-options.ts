import type { IdCodec } from '../codecs/id-codec.js';
import type { BitLayoutOptions, Instant } from '../layout/bit-layout-options.js';
import type { LayoutPresetName } from '../layout/presets.js';

/** Decides which IDs from clients are accepted. By default, every ID of 63 bits in decimal digits. */
export interface ClientIdOptions<Encoded extends string = string> {
  /** Reads IDs in another notation, such as `prefixedCodec('ord')`. Default: decimal digits. */
  readonly codec?: IdCodec<Encoded>;
  /** The bit layout of the IDs, as in the module's options. Needed for time bounds if it isn't the default layout. */
  readonly layout?: BitLayoutOptions | LayoutPresetName;
  /** The epoch of the IDs, as in the module's options. Default: that of the preset, or 2024-01-01. */
  readonly epoch?: Instant;
  /** Refuses IDs that were generated before this instant. */
  readonly madeFrom?: Instant;
  /** Refuses IDs that were generated at this instant or later. */
  readonly madeBefore?: Instant;
  /**
   * Refuses IDs whose time is further ahead of the local clock than this, in milliseconds. A whole number from 0 to
   * 86,400,000. Leave room for drift and for clocks that differ, for example 60,000.
   */
  readonly maxAheadMs?: number;
}
