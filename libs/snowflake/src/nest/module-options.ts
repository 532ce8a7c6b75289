import { requireOptions, requireWholeNumber } from '../core/index.js';
import type { SnowflakeOptions } from '../maker/index.js';

/** Options of `SnowflakeModule`: those of the ID maker, and how it stops. */
export interface SnowflakeModuleOptions extends SnowflakeOptions {
  /**
   * How long the shutdown of the app may take before the module stops issuing and releases the lease, in milliseconds.
   * Default 10,000. Bounds: 1 to 86,400,000.
   */
  drainTimeoutMs?: number;
}

export const DEFAULT_DRAIN_TIMEOUT_MS = 10_000;
const LONGEST_DRAIN_TIMEOUT_MS = 86_400_000;

/** All names: the ID maker would name only its own to whoever has misspelt one. */
const MODULE_OPTIONS = {
  store: true,
  layout: true,
  epoch: true,
  datacenterId: true,
  onClockRollback: true,
  lease: true,
  holderName: true,
  onSequenceExhausted: true,
  maxDriftMs: true,
  rollbackToleranceMs: true,
  sequenceStart: true,
  drainTimeoutMs: true,
} satisfies Record<keyof SnowflakeModuleOptions, true>;

/** Checks what the ID maker doesn't check, and returns the options of the ID maker. @throws InvalidOptionError */
export function requireModuleOptions(options: SnowflakeModuleOptions): SnowflakeOptions {
  requireOptions('options', options, MODULE_OPTIONS);
  const { drainTimeoutMs, ...makerOptions } = options;
  requireWholeNumber(
    'drainTimeoutMs',
    drainTimeoutMs ?? DEFAULT_DRAIN_TIMEOUT_MS,
    1,
    LONGEST_DRAIN_TIMEOUT_MS,
  );
  return makerOptions;
}
