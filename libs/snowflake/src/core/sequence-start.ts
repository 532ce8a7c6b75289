import type { BitLayout } from './bit-layout.js';
import { InvalidOptionError } from './errors.js';

/**
 * Where the sequence begins in each tick.
 *
 * - `zero`: at 0. IDs that are made one per tick then all have the same lowest bits, so that `id mod N` sends most of
 *   them to a few of N shards.
 * - `random`: at random in the lowest quarter of the sequence.
 * - `rolling`: the same in a fixed order that looks random, without a source of randomness.
 */
export type SequenceStartPolicy = 'zero' | 'random' | 'rolling';

/**
 * A linear congruential generator of full period modulo 2^32 (Press et al., Numerical Recipes, 1992). Only its upper
 * bits are used: an order that simply counts on is uneven modulo the factors of what a tick and a sequence number add
 * to an ID together.
 */
const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;

/** Chooses where the sequence of each tick begins. */
export class SequenceStart {
  /** Starts lie below this power of two: a quarter of the sequence at most is given up for evenness. */
  private readonly bound: number;
  private state = 0;

  private readonly random: () => number;

  /** @throws InvalidOptionError when the policy is `random` and there is no source of randomness */
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
   * @param underLoad the last tick was used up: evenness comes by itself, and every sequence number is needed
   * @throws InvalidOptionError when the source of randomness gives anything but a number in [0, 1)
   */
  next(underLoad: boolean): number {
    if (this.policy === 'zero' || underLoad) return 0;
    if (this.policy === 'random') return this.atRandom();
    this.state = (Math.imul(this.state, MULTIPLIER) + INCREMENT) >>> 0;
    return Math.floor((this.state / 2 ** 32) * this.bound);
  }

  private atRandom(): number {
    const drawn = this.random();
    // A start beyond the sequence would be an ID of another worker ID.
    if (!(drawn >= 0 && drawn < 1)) throw notRandom(drawn);
    return Math.floor(drawn * this.bound);
  }
}

function notRandom(drawn: number): InvalidOptionError {
  return new InvalidOptionError(
    'random',
    drawn,
    'is no number from 0 to below 1',
    'Pass a source such as Math.random as the last argument of IdGenerator.',
  );
}

function noRandomness(): InvalidOptionError {
  return new InvalidOptionError(
    'sequenceStart',
    'random',
    'needs a source of randomness',
    'Pass one as the last argument of IdGenerator, e.g. Math.random. SnowflakeIdMaker has its own.',
  );
}
