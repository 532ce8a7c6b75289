import { InvalidIdError, wordsOf } from '../core/index.js';

/**
 * The exact decimal string of an ID that somebody set: a decimal string, a bigint, or a number that is exact.
 *
 * @throws InvalidIdError when it is none of these, or outside 0..2^63 - 1
 */
export function givenId(value: unknown): string {
  const id = typeof value === 'number' ? exactDecimal(value) : value;
  if (typeof id !== 'string' && typeof id !== 'bigint') {
    throw new InvalidIdError(value, `is of type ${typeof value}`);
  }
  wordsOf(id);
  return String(id);
}

/**
 * @throws InvalidIdError when the number may have been rounded on its way, so that it may be another row's ID
 */
export function exactDecimal(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  throw new InvalidIdError(value, 'is a number that cannot be told from its neighbours');
}
