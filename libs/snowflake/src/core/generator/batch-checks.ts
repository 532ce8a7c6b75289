import { InvalidOptionError } from '../errors/input-errors.js';
import { requireWholeNumber } from '../options/option-checks.js';

/** Upper bound of the IDs that one call generates. */
const MAX_COUNT = 10_000_000;

/** Returns `count` if it is a whole number from 0 to 10,000,000. @throws InvalidOptionError */
export function requireCount(count: number): number {
  return requireWholeNumber('count', count, 0, MAX_COUNT);
}

/**
 * Returns `target` if it is a `BigUint64Array`, of this realm or another. Any other array would end up with no IDs or
 * with garbled ones.
 *
 * @throws InvalidOptionError
 */
export function requireTarget<Target extends BigUint64Array>(target: Target): Target {
  const tag: unknown =
    typeof target === 'object' && target !== null && Reflect.get(target, Symbol.toStringTag);
  if (tag === 'BigUint64Array') return target;
  throw new InvalidOptionError(
    'target',
    target,
    'must be a BigUint64Array',
    'Pass one, or call nextBigInts(count) to get a new one.',
  );
}
