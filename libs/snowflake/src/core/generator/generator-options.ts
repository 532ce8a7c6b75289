import type { BitLayout } from '../layout/bit-layout.js';
import { requireObject, requireWholeNumber } from '../options/option-checks.js';
import { checkedValues, oneOf, type OptionRules, wholeNumber } from '../options/option-rule.js';
import type { SequenceStartPolicy } from './sequence-start.js';

/**
 * What the generator does when all sequence numbers of a tick are used.
 *
 * - `borrow`: continues with the next tick, at most `maxDriftMs` ahead of the clock, and then acts as `wait`.
 * - `wait`: blocks until the next tick, for one tick at most.
 * - `throw`: throws `SequenceExhaustedError` without blocking.
 */
export type SequenceExhaustedPolicy = 'borrow' | 'wait' | 'throw';

/**
 * What the generator does when the clock goes back.
 *
 * - `switch`: continues in logical time until it has another worker ID, with which it follows the clock again.
 * - `hold`: continues in logical time until the clock has caught up or the window ends.
 * - `reuse`: uses the remaining sequence numbers of the last 256 ticks while the clock repeats them, and then acts as `hold`. IDs stay
 *   unique, but don't ascend.
 * - `wait`: blocks for up to twice the step if the step is at most `rollbackToleranceMs`. If the step is larger, or the clock hasn't
 *   caught up by then, it acts as `throw`.
 * - `throw`: throws `ClockRollbackError` until the clock has caught up.
 */
export type ClockRollbackPolicy = 'switch' | 'hold' | 'reuse' | 'wait' | 'throw';

/** Options of the generator: what it does when a tick is full, and when the clock goes back. */
export interface GeneratorOptions {
  /**
   * What the ID maker does when all sequence numbers of a tick are used.
   *
   * @defaultValue `'borrow'`
   */
  onSequenceExhausted?: SequenceExhaustedPolicy;
  /**
   * How far timestamps may run ahead of the clock under `borrow`.
   * Bounds: 1 to 60,000, and at least one tick.
   *
   * @defaultValue `1000`, or one tick if that is longer
   */
  maxDriftMs?: number;
  /**
   * What the ID maker does when the clock goes back.
   *
   * @defaultValue `'switch'`
   */
  onClockRollback?: ClockRollbackPolicy;
  /**
   * The largest step back of the clock that is jitter rather than a rollback.
   * Bounds: 0 to 60,000, or to 1,000 under `wait`.
   *
   * Under `throw`, every step back is a rollback.
   *
   * @defaultValue `5`
   */
  rollbackToleranceMs?: number;
  /**
   * The first sequence number of each tick.
   *
   * If you shard by `id mod N`, use `random` or `rolling`, which cost at most a quarter of the numbers of a tick. With the default layout,
   * they distribute IDs evenly for any N up to 1,024.
   *
   * @defaultValue `'zero'`
   */
  sequenceStart?: SequenceStartPolicy;
}

/** Validated {@link GeneratorOptions}, with the defaults filled in. */
export interface GeneratorSettings {
  readonly onSequenceExhausted: SequenceExhaustedPolicy;
  /** 0 unless the policy is `borrow`. */
  readonly maxDriftTicks: number;
  readonly onClockRollback: ClockRollbackPolicy;
  readonly rollbackToleranceMs: number;
  readonly sequenceStart: SequenceStartPolicy;
}

const MAX_DRIFT_MS = 60_000;
/** Lower than the bound of the other policies, because waiting blocks the event loop. */
const MAX_WAIT_MS = 1000;

export const GENERATOR_OPTIONS = {
  onSequenceExhausted: oneOf<SequenceExhaustedPolicy>('borrow', 'wait', 'throw').or('borrow'),
  maxDriftMs: wholeNumber(1, MAX_DRIFT_MS).optional(),
  onClockRollback: oneOf<ClockRollbackPolicy>('switch', 'hold', 'reuse', 'wait', 'throw').or('switch'),
  rollbackToleranceMs: wholeNumber(0, 60_000).or(5),
  sequenceStart: oneOf<SequenceStartPolicy>('zero', 'random', 'rolling').or('zero'),
} satisfies OptionRules<GeneratorOptions>;

/** Validates options and fills in the defaults. @throws InvalidOptionError */
export function generatorSettings(layout: BitLayout, options: GeneratorOptions): GeneratorSettings {
  // Unknown names pass, because the options of an ID maker come here whole.
  requireObject('options', options, 'Pass { maxDriftMs: 500 }, for example, or leave it out.');
  const checked = checkedValues('options', options, GENERATOR_OPTIONS);
  const { onSequenceExhausted, onClockRollback, rollbackToleranceMs, sequenceStart } = checked;
  const { maxDriftMs = Math.max(1000, layout.tickMs) } = checked;
  requireWholeNumber('maxDriftMs', maxDriftMs, layout.tickMs, MAX_DRIFT_MS);
  if (onClockRollback === 'wait')
    requireWholeNumber('rollbackToleranceMs', rollbackToleranceMs, 0, MAX_WAIT_MS);
  return {
    onSequenceExhausted,
    maxDriftTicks: onSequenceExhausted === 'borrow' ? Math.floor(maxDriftMs / layout.tickMs) : 0,
    onClockRollback,
    rollbackToleranceMs,
    sequenceStart,
  };
}
