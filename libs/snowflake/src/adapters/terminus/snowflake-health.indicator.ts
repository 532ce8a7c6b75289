import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { checkedOptions, type OptionRules, unchecked, wholeNumber } from '../../core/options/option-rule.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import type { SnowflakeStatus } from '../../maker/snowflake-status.js';

const DAY_MS = 86_400_000;

/** Options of {@link SnowflakeHealthIndicator.readiness}. */
export interface SnowflakeReadinessOptions {
  /**
   * The ID maker of a named instance.
   *
   * @defaultValue the ID maker of the unnamed instance
   */
  readonly ids?: SnowflakeIdMaker;
  /**
   * Reports `down` if less than this is left of the window, in milliseconds.
   * Bounds: 0 to 86,400,000.
   *
   * @defaultValue `0`
   */
  readonly minWindowLeftMs?: number;
  /**
   * Reports `down` if timestamps run further ahead of the clock than this, in milliseconds.
   * Bounds: 0 to 86,400,000.
   *
   * @defaultValue `86400000`
   */
  readonly maxDriftMs?: number;
}

const READINESS_OPTIONS = {
  ids: unchecked<SnowflakeIdMaker>().optional(),
  minWindowLeftMs: wholeNumber(0, DAY_MS).or(0),
  maxDriftMs: wholeNumber(0, DAY_MS).or(DAY_MS),
} satisfies OptionRules<SnowflakeReadinessOptions>;

/**
 * Reports to `@nestjs/terminus` whether IDs can be issued. List it in `providers`. Its details contain no address, no host name and
 * no message of a driver.
 *
 * @example
 * ```ts
 * ready(): Promise<HealthCheckResult> {
 *   return this.health.check([() => this.snowflake.readiness('snowflake', { minWindowLeftMs: 5_000 })]);
 * }
 *
 * live(): Promise<HealthCheckResult> {
 *   return this.health.check([() => this.snowflake.liveness('snowflake')]);
 * }
 * ```
 */
@Injectable()
export class SnowflakeHealthIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #ids: SnowflakeIdMaker;

  constructor(indicators: HealthIndicatorService, ids: SnowflakeIdMaker) {
    this.#indicators = indicators;
    this.#ids = ids;
  }

  /**
   * Returns the status for the readiness probe: `up` if IDs can be issued, `degraded` while the store is unreachable and the window
   * lasts, and `down` otherwise. `@nestjs/terminus` 11 has no `degraded`, so it gets `up` instead.
   *
   * @throws InvalidOptionError if an option is invalid
   */
  readiness(key: string, options: SnowflakeReadinessOptions = {}): HealthIndicatorResult {
    const checked = checkedOptions('options', options, READINESS_OPTIONS);
    const { ids = this.#ids, minWindowLeftMs, maxDriftMs } = checked;
    const details = detailsOf(ids);
    const indicator = this.#indicators.check(key);
    const hasWindow = details.windowLeftMs === undefined || details.windowLeftMs >= minWindowLeftMs;
    if (!ids.canIssue || !hasWindow || details.driftMs > maxDriftMs) return indicator.down({ ...details });
    if (details.state === 'active' || !('degraded' in indicator)) return indicator.up({ ...details });
    return indicator.degraded({ ...details });
  }

  /**
   * Returns the status for the liveness probe: `down` only if a restart helps. That is the case if the maker is
   * stopped, or if its window ended although no call to the store has failed, which means that nothing renews it. An
   * unreachable store is no reason to restart.
   */
  liveness(key: string, ids: SnowflakeIdMaker = this.#ids): HealthIndicatorResult {
    const details = detailsOf(ids);
    const isStuck = !ids.canIssue && details.lastError === undefined && details.windowLeftMs === 0;
    const indicator = this.#indicators.check(key);
    if (details.state === 'stopped' || isStuck) return indicator.down({ ...details });
    return indicator.up({ ...details });
  }
}

interface HealthDetails {
  readonly state: SnowflakeStatus['state'];
  readonly workerId?: number | undefined;
  /** Absent if the window never ends, or before the first lease. */
  readonly windowLeftMs?: number | undefined;
  readonly driftMs: number;
  /** Code of the last error of the store, if the last call failed. */
  readonly lastError?: string | undefined;
}

function detailsOf(ids: SnowflakeIdMaker): HealthDetails {
  const { state, workerId, leaseUntil, driftMs, lastError } = ids.status();
  const windowLeftMs = leaseUntil && Math.max(0, Math.round(leaseUntil.getTime() - ids.nowMs()));
  return { state, workerId, windowLeftMs, driftMs, lastError: lastError?.code };
}
