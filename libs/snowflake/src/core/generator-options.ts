import type { BitLayout } from './bit-layout.js';
import { requireChoice, requireWholeNumber } from './option-checks.js';

/**
 * What to do when all sequence numbers of a tick are used.
 *
 * - `borrow`: step to the next tick ahead of the clock, by at most `maxDriftMs`; beyond that as `wait`.
 * - `wait`: block until the next tick: one tick at most.
 * - `throw`: `SequenceExhaustedError`, nothing is blocked.
 */
export type ExhaustionPolicy = 'borrow' | 'wait' | 'throw';

/** How IDs are issued: what happens when a tick is full, and when the clock steps back. */
export interface GeneratorOptions {
  /** What to do when all sequence numbers of a tick are used. Default `borrow`. */
  exhaustion?: ExhaustionPolicy;
  /**
   * How far issued timestamps may run ahead of the clock under `borrow`, in milliseconds. Default 1000, or one tick
   * if that is longer. Bounds: one tick to 60,000.
   */
  maxDriftMs?: number;
  /**
   * Steps of the clock back by no more than this are taken for jitter and covered by drift; a larger one is a clock
   * rollback. In milliseconds. Default 5. Bounds: 0 to 60,000.
   */
  rollbackToleranceMs?: number;
}

/** Checked {@link GeneratorOptions}. */
export interface GeneratorSettings {
  readonly exhaustion: ExhaustionPolicy;
  /** 0 unless the policy is `borrow`. */
  readonly maxDriftTicks: number;
  readonly rollbackToleranceMs: number;
}

const EXHAUSTION_POLICIES: readonly ExhaustionPolicy[] = ['borrow', 'wait', 'throw'];
const MAX_DRIFT_MS = 60_000;

/** Checks options and fills in the defaults. @throws InvalidOptionError */
export function generatorSettings(layout: BitLayout, options: GeneratorOptions): GeneratorSettings {
  const exhaustion = requireChoice('exhaustion', options.exhaustion ?? 'borrow', EXHAUSTION_POLICIES);
  const defaultDriftMs = Math.max(1000, layout.tickMs);
  const maxDriftMs = requireWholeNumber(
    'maxDriftMs',
    options.maxDriftMs ?? defaultDriftMs,
    layout.tickMs,
    MAX_DRIFT_MS,
  );
  return {
    exhaustion,
    maxDriftTicks: exhaustion === 'borrow' ? Math.floor(maxDriftMs / layout.tickMs) : 0,
    rollbackToleranceMs: requireWholeNumber(
      'rollbackToleranceMs',
      options.rollbackToleranceMs ?? 5,
      0,
      60_000,
    ),
  };
}
