import { InvalidOptionError } from '../core/errors/input-errors.js';
import { checkedValues, type OptionRules, wholeNumber } from '../core/options/option-rule.js';
import { DEFAULT_CALL_TIMEOUT_MS } from '../kit/call-deadline.js';

/** Durations of the lease protocol. Set `windowMs`; the others have defaults that follow from it. */
export interface LeaseTimingOptions {
  /**
   * Length of the window of timestamps that a lease grants, in milliseconds.
   * Bounds: 1,000 to 86,400,000.
   *
   * The one duration to choose: it decides how long IDs keep the true time while the store is unreachable, and how long the
   * worker ID of a dead process stays taken. Use the same value in all processes of a namespace.
   *
   * @defaultValue `60000`
   */
  windowMs?: number;
  /**
   * Interval of renewals, in milliseconds. Each process varies it by ± 10 %.
   * Bounds: 1 to `windowMs`.
   *
   * @defaultValue `10000`: `windowMs / 6`
   */
  renewEveryMs?: number;
  /**
   * Last part of the window, in milliseconds, for logical time while the store is unreachable.
   * Bounds: 1 to `windowMs`, and at least two ticks.
   *
   * @defaultValue `10000`: `windowMs / 6`
   */
  reserveMs?: number;
  /**
   * How far clocks may differ, in milliseconds.
   * Bounds: 1 to `windowMs`.
   *
   * This applies to the clocks of two store servers, if one takes over from the other, and to the local clock and the
   * store's, before the maker corrects the local one. A local clock that is behind is also set to the start of its first
   * window. Use the same value in all processes of a namespace.
   *
   * @defaultValue `5000`: `windowMs / 12`
   */
  maxSkewMs?: number;
  /**
   * How long one call to the store may take, including connecting, in milliseconds.
   * Bounds: 1 to `windowMs`.
   *
   * While a process starts, connecting and waiting for others may take longer, as long as its start: with hundreds of processes, each
   * waits for its turn. From the first reading to the write, a SQL call stays within this time.
   *
   * @defaultValue `2000`: `windowMs / 30`, at most 2,000
   */
  callTimeoutMs?: number;
  /**
   * How long a start waits for the store to open and for a lease, in milliseconds.
   * Bounds: 1 to 172,815,000.
   *
   * The default is longer than the wait after a possible loss, and longer than a crashed process keeps its worker ID. If many
   * processes start at once, each waits for its turn within this time. Failed calls follow each other after a random pause, whose
   * limit grows from 250 ms to a sixteenth of this time.
   *
   * @defaultValue `80000`: `windowMs + maxSkewMs + 15,000`
   */
  acquireTimeoutMs?: number;
}

/**
 * What a new process does if the store may have lost leases: it is empty, or its server restarted or was replaced.
 *
 * - `wait`: waits until every lease that may have been lost has ended.
 * - `ignore`: asserts that nothing was lost, and skips the wait. If processes still hold lost leases, IDs repeat. Use it in
 *   development and tests.
 */
export type PossibleLossPolicy = 'wait' | 'ignore';

/** Checked {@link LeaseTimingOptions}, all in milliseconds. */
export interface LeaseTiming {
  readonly windowMs: number;
  readonly renewEveryMs: number;
  readonly reserveMs: number;
  readonly maxSkewMs: number;
  readonly callTimeoutMs: number;
  readonly acquireTimeoutMs: number;
}

const MIN_WINDOW_MS = 1000;
const MAX_WINDOW_MS = 24 * 60 * 60 * 1000;
const DEFAULT_WINDOW_MS = 60_000;
const ACQUIRE_MARGIN_MS = 15_000;

/**
 * Returns the rules of the durations.
 *
 * @param given the window as it is given. Its own rule comes first, so a wrong one never bounds the others
 */
export function timingRules(given: unknown) {
  const windowMs = typeof given === 'number' ? given : DEFAULT_WINDOW_MS;
  const part = (defaultMs: number) => wholeNumber(1, windowMs).or(Math.floor(defaultMs));
  return {
    windowMs: wholeNumber(MIN_WINDOW_MS, MAX_WINDOW_MS).or(DEFAULT_WINDOW_MS),
    renewEveryMs: part(windowMs / 6),
    reserveMs: part(windowMs / 6),
    maxSkewMs: part(windowMs / 12),
    callTimeoutMs: part(Math.min(DEFAULT_CALL_TIMEOUT_MS, windowMs / 30)),
    acquireTimeoutMs: wholeNumber(1, 2 * MAX_WINDOW_MS + ACQUIRE_MARGIN_MS).optional(),
  } satisfies OptionRules<LeaseTimingOptions>;
}

/**
 * Fills in the defaults and checks that the durations fit each other.
 *
 * @param tickMs the layout's tick
 * @throws InvalidOptionError
 */
export function leaseTiming(
  options: LeaseTimingOptions,
  tickMs: number,
  possibleLoss?: PossibleLossPolicy,
): LeaseTiming {
  const checked = checkedValues('lease', options, timingRules(options.windowMs));
  const { acquireTimeoutMs = checked.windowMs + checked.maxSkewMs + ACQUIRE_MARGIN_MS } = checked;
  const timing = { ...checked, acquireTimeoutMs };
  checkTogether(timing, tickMs, possibleLoss);
  return timing;
}

function checkTogether(timing: LeaseTiming, tickMs: number, possibleLoss?: PossibleLossPolicy): void {
  const { windowMs, renewEveryMs, reserveMs, maxSkewMs, callTimeoutMs, acquireTimeoutMs } = timing;
  // In tenths: 1.1 times 50 is more than 55 in doubles.
  const busyMs = Math.ceil((renewEveryMs * 11) / 10) + 2 * callTimeoutMs + maxSkewMs + reserveMs;
  if (busyMs >= windowMs) {
    throw new InvalidOptionError(
      'lease.windowMs',
      windowMs,
      `leaves no time to renew: renewEveryMs + 10 % + 2 x callTimeoutMs + maxSkewMs + reserveMs are ${busyMs} ms`,
      'Make the window longer or the other durations shorter.',
    );
  }
  if (callTimeoutMs > maxSkewMs / 2) {
    throw new InvalidOptionError(
      'lease.callTimeoutMs',
      callTimeoutMs,
      `is more than half of maxSkewMs (${maxSkewMs} ms), so the reading of the store's clock would be too inaccurate`,
      `Use ${Math.floor(maxSkewMs / 2)} ms or less.`,
    );
  }
  if (reserveMs < 2 * tickMs) {
    throw new InvalidOptionError(
      'lease.reserveMs',
      reserveMs,
      `is less than two ticks of ${tickMs} ms`,
      `Use ${2 * tickMs} ms or more, with a longer window.`,
    );
  }
  if (possibleLoss !== 'ignore' && acquireTimeoutMs <= windowMs + maxSkewMs) {
    throw new InvalidOptionError(
      'lease.acquireTimeoutMs',
      acquireTimeoutMs,
      `does not outlast the wait for lost leases (windowMs + maxSkewMs = ${windowMs + maxSkewMs} ms)`,
      'Use more than that. For a new namespace, npx nestjs-snowflake-cli init --help shows how to skip the wait.',
    );
  }
}
