import type { BitLayout } from '../layout/bit-layout.js';
import { InvalidOptionError } from '../errors/input-errors.js';

/**
 * Where the sequence starts in each tick.
 *
 * - `zero`: at 0.
 * - `random`: at a random number in the lowest quarter of the sequence.
 * - `rolling`: at pseudorandom numbers in that quarter, in a fixed order. It needs no random source.
 */
export type SequenceStartPolicy = 'zero' | 'random' | 'rolling';

/**
 * A linear congruential generator with full period modulo 2^32 (Press et al., Numerical Recipes, 1992). Only its upper
 * bits are used. A plain counter wouldn't do: modulo a factor of what one tick and one sequence number together add to
 * an ID, its starts are unevenly distributed.
 */
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

/** Chooses the first sequence number of each tick. */
export class SequenceStart {
  /** Starts are below this power of two, so even distribution costs at most a quarter of the sequence. */
  private readonly bound: number;
  private state = 0;

  private readonly random: () => number;

  /** @throws InvalidOptionError if the policy is `random` and `random` is missing */
  constructor(
    private readonly policy: SequenceStartPolicy,
    layout: BitLayout,
    random?: () => number,
  ) {
    if (policy === 'random' && !random) throw noRandomness();
    this.random = random ?? (() => 0);
    this.bound = 2 ** Math.max(0, layout.field('sequence').bits - 2);
  }

  /**
   * @param underLoad whether the last tick was used up. If so, returns 0: IDs are evenly distributed anyway, and every
   * sequence number is needed
   * @throws InvalidOptionError if `random` returns anything but a number in [0, 1)
   */
  next(underLoad: boolean): number {
    if (this.policy === 'zero' || underLoad) return 0;
    if (this.policy === 'random') return this.atRandom();
    this.state = (Math.imul(this.state, MULTIPLIER) + INCREMENT) >>> 0;
    return Math.floor((this.state / 2 ** 32) * this.bound);
  }

  private atRandom(): number {
    const drawn = this.random();
    // A first number beyond the sequence would result in an ID of another worker ID.
    if (!(drawn >= 0 && drawn < 1)) throw notRandom(drawn);
    return Math.floor(drawn * this.bound);
  }
}

function notRandom(drawn: number): InvalidOptionError {
  return new InvalidOptionError(
    'random',
    drawn,
    'must return numbers in [0, 1)',
    'Pass a function such as Math.random as the last argument of IdGenerator.',
  );
}

function noRandomness(): InvalidOptionError {
  return new InvalidOptionError(
    'sequenceStart',
    'random',
    'needs a random source',
    'Pass one, such as Math.random, as the last argument of IdGenerator, or use SnowflakeIdMaker, which has its own.',
  );
}
