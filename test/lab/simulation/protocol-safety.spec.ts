import fc from 'fast-check';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';
import { registryWith } from '../../support/leases/registry-with.js';
import { runs } from '../../support/runs.js';
import { type Conditions, ForgetfulWorld, HOLDERS, MOST_STUCK, WINDOW_MS } from './forgetful-world.js';

/**
 * The theorem of the lease protocol, tried on the model with random holders: whatever is lost, delayed or executed
 * twice, no timestamp of one worker ID is ever adopted by two holders.
 */

const MAX_SKEW_MS = 50;

type Step = (world: ForgetfulWorld) => void;

function weighted<Input>(
  weight: number,
  inputs: fc.Arbitrary<Input>,
  play: (world: ForgetfulWorld, input: Input) => void,
): fc.WeightedArbitrary<Step> {
  return { weight, arbitrary: inputs.map((input) => (world) => play(world, input)) };
}

const holder = fc.nat(HOLDERS - 1);
const passed = fc.oneof(
  fc.integer({ min: -WINDOW_MS, max: 2 * WINDOW_MS }),
  fc.constantFrom(1, 1, 10, -10, -MAX_SKEW_MS, WINDOW_MS, WINDOW_MS + 1),
);
const withoutLoss = [
  weighted(10, fc.tuple(holder, fc.boolean(), fc.nat(9)), (world, [index, isReplyLost, n]) =>
    world.lease(index, isReplyLost, n === 0),
  ),
  weighted(6, passed, (world, ms) => world.pass(ms)),
  weighted(1, fc.tuple(holder, fc.constantFrom(0, 50, 100)), (world, [index, share]) =>
    world.release(index, share),
  ),
  weighted(1, holder, (world, index) => world.crash(index)),
  weighted(4, fc.nat(MOST_STUCK - 1), (world, index) => world.executeAgain(index)),
];
const withLoss = [
  ...withoutLoss,
  weighted(1, fc.constant(undefined), (world) => world.remember()),
  weighted(2, fc.boolean(), (world, isAll) => world.lose(isAll)),
];

const sound: Conditions = {
  maxSkewMs: MAX_SKEW_MS,
  clockStepsBackMs: MAX_SKEW_MS,
  ignoreLoss: false,
  makeRegistry: () => new MemoryRegistry(),
};

describe('the protocol [promise: after-loss, unique]', () => {
  it('no two holders adopt one timestamp, whatever the clock does, as long as nothing is lost', () => {
    fc.assert(safety({ ...sound, clockStepsBackMs: Infinity }, withoutLoss), { numRuns: runs(2_000) });
  });

  it('no two holders adopt one timestamp, whatever is lost, as long as the clock steps back no further than maxSkew', () => {
    fc.assert(safety(sound, withLoss), { numRuns: runs(4_000) });
  });
});

describe('the protocol without one of its mechanisms [promise: after-loss, unique]', () => {
  const seed = 1;
  const fails = (conditions: Conditions, numRuns: number): boolean =>
    fc.check(safety(conditions, withLoss), { numRuns, seed, endOnFailure: true }).failed;

  it('duplicates appear without the wait after a loss (control)', () => {
    expect(fails({ ...sound, ignoreLoss: true }, 400)).toBe(true);
  });

  it('duplicates appear if the clock steps back further than maxSkew after a loss (control)', () => {
    expect(fails({ ...sound, clockStepsBackMs: Infinity }, 2_000)).toBe(true);
  });

  it('duplicates appear without the gap of maxSkew between the end of a lease and its last renewal (control)', () => {
    const gapless = registryWith({ isRunning: ({ reachMs, nowMs }) => reachMs >= nowMs });
    expect(fails({ ...sound, makeRegistry: gapless }, 20_000)).toBe(true);
  });

  it('duplicates appear without the comparison of fencing tokens (control)', () => {
    const tokenless = registryWith({ isSameGrant: () => true, isCopied: () => false });
    expect(fails({ ...sound, makeRegistry: tokenless }, 2_000)).toBe(true);
  });
});

function safety(conditions: Conditions, steps: fc.WeightedArbitrary<Step>[]) {
  const histories = fc.array(fc.oneof(...steps), { minLength: 20, maxLength: 150, size: 'max' });
  return fc.property(histories, (run) => {
    const world = new ForgetfulWorld(conditions);
    for (const step of run) step(world);
    expect(world.ledger.overlaps()).toEqual([]);
  });
}
