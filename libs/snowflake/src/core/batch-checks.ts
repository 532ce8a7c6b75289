import { InvalidOptionError } from './errors.js';
import { requireWholeNumber } from './option-checks.js';

/** How many IDs one call makes at most. */
const MAX_COUNT = 10_000_000;

/** Returns `count` if it is one. @throws InvalidOptionError */
export function requireCount(count: number): number {
  return requireWholeNumber('count', count, 0, MAX_COUNT);
}

/** Returns `target` if it is one, of this realm or another: any other array would take no IDs, or garbled ones. */
export function requireTarget<Target extends BigUint64Array>(target: Target): Target {
  const tag: unknown =
    typeof target === 'object' && target !== null && Reflect.get(target, Symbol.toStringTag);
  if (tag === 'BigUint64Array') return target;
  throw new InvalidOptionError(
    'target',
    target,
    'is no BigUint64Array',
    'Pass one, or use nextBigInts(count).',
  );
}
