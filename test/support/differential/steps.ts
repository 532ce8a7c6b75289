import fc from 'fast-check';
import { type LeaseStep, MAX_SKEW_MS, type ModelPair, WINDOW_MS } from './model-pair.js';

/** Something that is done to both sides. */
export type Step = (pair: ModelPair) => Promise<void>;

export const leaseStep: fc.Arbitrary<LeaseStep> = fc.record({
  nonce: fc.nat(4),
  retry: fc.boolean(),
  trust: fc.boolean(),
  ignoreLoss: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  preferLongestOffline: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  searchSeed: fc.nat(2 ** 31 - 1),
  windowMs: fc.constantFrom(WINDOW_MS, WINDOW_MS, WINDOW_MS, WINDOW_MS / 2, 2 * WINDOW_MS),
  maxSkewMs: fc.constantFrom(MAX_SKEW_MS, MAX_SKEW_MS, MAX_SKEW_MS, 0, 2 * MAX_SKEW_MS),
  isOtherLayout: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  shows: fc.boolean(),
  grant: fc.nat(60),
  shownMs: fc.constantFrom(0, 0, 0, -1000, 1000),
  attempts: fc.array(fc.nat(4), { maxLength: 3 }),
});

const passed = fc.oneof(
  fc.constantFrom(0, 1, MAX_SKEW_MS, WINDOW_MS, WINDOW_MS + MAX_SKEW_MS, -1, -MAX_SKEW_MS),
  fc.integer({ min: -WINDOW_MS, max: 3 * WINDOW_MS }),
);
const lastUsedMs = fc.integer({ min: -WINDOW_MS, max: WINDOW_MS });
const lost = fc.constantFrom('copy', 'all', 'nothing');

/**
 * 60 to 120 steps.
 *
 * @param garbage what fields are damaged with
 */
export function stepsWith(garbage: readonly string[]): fc.Arbitrary<Step[]> {
  const damage = fc.tuple(fc.nat(20), fc.constantFrom(...garbage), leaseStep);
  const step = fc.oneof(
    weighted(12, fc.tuple(leaseStep), (pair, lease) => pair.lease(lease)),
    weighted(5, fc.tuple(passed), (pair, ms) => pair.pass(ms)),
    weighted(2, fc.tuple(fc.nat(60), lastUsedMs), (pair, grant, atMs) => pair.release(grant, atMs)),
    weighted(1, fc.tuple(lost, fc.boolean()), (pair, kind, isSeen) => pair.lose(kind, isSeen)),
    weighted(1, fc.constant<[]>([]), async (pair) => pair.remember()),
    weighted(1, damage, (pair, index, value, lease) => pair.damage(index, value, lease)),
  );
  return fc.array(step, { minLength: 60, maxLength: 120, size: 'max' });
}

function weighted<Inputs extends unknown[]>(
  weight: number,
  inputs: fc.Arbitrary<Inputs>,
  play: (pair: ModelPair, ...inputs: Inputs) => Promise<void>,
): { weight: number; arbitrary: fc.Arbitrary<Step> } {
  return { weight, arbitrary: inputs.map((given) => (pair: ModelPair) => play(pair, ...given)) };
}

/** A few worker IDs, so that they run out. */
export const smallRange = fc.record({
  firstWorkerId: fc.constantFrom(0, 7),
  workerCount: fc.integer({ min: 1, max: 5 }),
});

/** All that a registry answers: runs that do not meet them all have tried too little. */
export const EVERY_OUTCOME = [
  'copied',
  'corrupt',
  'full',
  'gone',
  'kept',
  'layout',
  'new',
  'released',
  'wait',
];
