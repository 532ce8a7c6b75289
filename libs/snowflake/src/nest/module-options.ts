import { DRAIN_TIMEOUT_MS } from '../kit/nest/bounded-drain.js';
import type { OptionRules } from '../core/options/option-rule.js';
import { checkMakerOptions, MAKER_OPTIONS } from '../maker/maker-options.js';
import type { SnowflakeOptions } from '../maker/snowflake-options.js';

/** Options of `SnowflakeModule`: those of the ID maker, and how it stops. */
export interface SnowflakeModuleOptions extends SnowflakeOptions {
  /**
   * How long the shutdown of the app may take before the maker stops and releases its lease, in milliseconds.
   * Bounds: 1 to 86,400,000.
   *
   * @defaultValue `10000`
   */
  drainTimeoutMs?: number;
}

/** With those of the ID maker, so that an error names all of them. */
const MODULE_OPTIONS = {
  ...MAKER_OPTIONS,
  drainTimeoutMs: DRAIN_TIMEOUT_MS,
} satisfies OptionRules<SnowflakeModuleOptions>;

/** Checks what the ID maker doesn't check, and returns the options of the ID maker. @throws InvalidOptionError */
export function requireModuleOptions(options: SnowflakeModuleOptions): SnowflakeOptions {
  checkMakerOptions(options, MODULE_OPTIONS);
  const { drainTimeoutMs: _, ...makerOptions } = options;
  return makerOptions;
}
