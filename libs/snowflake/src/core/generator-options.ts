import type { BitLayout } from './bit-layout.js';
import { requireChoice, requireWholeNumber } from './option-checks.js';
import type { SequenceStartPolicy } from './sequence-start.js';

/**
 * What to do when all sequence numbers of a tick are used.
 *
 * - `borrow`: step to the next tick ahead of the clock, by at most `maxDriftMs`; beyond that as `wait`.
 * - `wait`: block until the next tick: one tick at most.
 * - `throw`: `SequenceExhaustedError`, nothing is blocked.
 */
export type SequenceExhaustedPolicy = 'borrow' | 'wait' | 'throw';

/**
 * What to do when the clock goes back.
 *
 * - `switch`: go on in logical time and go over to the longest-offline worker ID at once, there with the clock's time.
 * - `hold`: go on in logical time until the clock has caught up or the window ends.
 * - `reuse`: spend what is left of the last 256 ticks that the clock shows again; then as `hold`. IDs are then unique,
 *   but not in ascending order.
 * - `wait`: block for twice the step, as Leaf does, if it is no longer than `rollbackToleranceMs`; else, and if the
 *   clock has not caught up by then, as `throw`.
 * - `throw`: `ClockRollbackError`, as Twitter's Snowflake did, until the clock has caught up.
 */
export type ClockRollbackPolicy = 'switch' | 'hold' | 'reuse' | 'wait' | 'throw';

/** How IDs are issued: what happens when a tick is full, and when the clock steps back. */
export interface GeneratorOptions {
  /** What to do when all sequence numbers of a tick are used. Default `borrow`. */
  onSequenceExhausted?: SequenceExhaustedPolicy;
  /**
   * How far issued timestamps may run ahead of the clock under `borrow`, in milliseconds. Default 1000, or one tick
   * if that is longer. Bounds: one tick to 60,000.
   */
  maxDriftMs?: number;
  /** What to do when the clock goes back. Default `switch`. */
  onClockRollback?: ClockRollbackPolicy;
  /**
   * Steps of the clock back by no more than this are taken for jitter and covered by drift; a larger one is a clock
   * rollback. The policy `wait` blocks for twice that at most; under `throw` any step counts. In milliseconds.
   * Default 5. Bounds: 0 to 60,000, under `wait` to 1,000.
   */
  rollbackToleranceMs?: number;
  /** Where the sequence begins in each tick. Default `zero`. Choose another for `id mod N` sharding. */
  sequenceStart?: SequenceStartPolicy;
}

/** Checked {@link GeneratorOptions}. */
export interface GeneratorSettings {
  readonly onSequenceExhausted: SequenceExhaustedPolicy;
  /** 0 unless the policy is `borrow`. */
  readonly maxDriftTicks: number;
  readonly onClockRollback: ClockRollbackPolicy;
  readonly rollbackToleranceMs: number;
  readonly sequenceStart: SequenceStartPolicy;
}

const EXHAUSTION_POLICIES: readonly SequenceExhaustedPolicy[] = ['borrow', 'wait', 'throw'];
const ROLLBACK_POLICIES: readonly ClockRollbackPolicy[] = ['switch', 'hold', 'reuse', 'wait', 'throw'];
const SEQUENCE_STARTS: readonly SequenceStartPolicy[] = ['zero', 'random', 'rolling'];
const MAX_DRIFT_MS = 60_000;
/** The event loop stands still meanwhile. */
const MAX_WAIT_MS = 1000;

/** Checks options and fills in the defaults. @throws InvalidOptionError */
export function generatorSettings(layout: BitLayout, options: GeneratorOptions): GeneratorSettings {
  const onSequenceExhausted = requireChoice(
    'onSequenceExhausted',
    options.onSequenceExhausted ?? 'borrow',
    EXHAUSTION_POLICIES,
  );
  const onClockRollback = requireChoice(
    'onClockRollback',
    options.onClockRollback ?? 'switch',
    ROLLBACK_POLICIES,
  );
  const defaultDriftMs = Math.max(1000, layout.tickMs);
  const maxDriftMs = requireWholeNumber(
    'maxDriftMs',
    options.maxDriftMs ?? defaultDriftMs,
    layout.tickMs,
    MAX_DRIFT_MS,
  );
  return {
    onSequenceExhausted,
    maxDriftTicks: onSequenceExhausted === 'borrow' ? Math.floor(maxDriftMs / layout.tickMs) : 0,
    onClockRollback,
    rollbackToleranceMs: requireWholeNumber(
      'rollbackToleranceMs',
      options.rollbackToleranceMs ?? 5,
      0,
      onClockRollback === 'wait' ? MAX_WAIT_MS : 60_000,
    ),
    sequenceStart: requireChoice('sequenceStart', options.sequenceStart ?? 'zero', SEQUENCE_STARTS),
  };
}
