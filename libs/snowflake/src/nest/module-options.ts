import type { SnowflakeOptions } from '../maker/snowflake-options.js';

/** Options of `SnowflakeModule`: those of the ID maker, and how it stops. */
export interface SnowflakeModuleOptions extends SnowflakeOptions {
  /**
   * How long the app's shutdown may take before the ID maker stops and releases its lease.
   * Bounds: 1 to 86,400,000.
   *
   * @defaultValue `10000`
   */
  drainTimeoutMs?: number;
}
