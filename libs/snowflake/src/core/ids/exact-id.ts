import { seeDocs } from '../see-docs.js';
import { InvalidIdError } from '../errors/input-errors.js';
import { wordsOf } from './id-words.js';

const ROUNDED =
  'Let the driver return exact integers, and write IDs as strings in JSON that the database builds. ' +
  seeDocs('guides/other-orms');
const STORED = 'Correct the row: this column holds IDs, and the value is none.';

/**
 * Returns an ID that the app passes to an ORM as decimal text. Accepts a number if it is exact.
 *
 * @throws InvalidIdError if it is not an ID, or a number that JavaScript may have rounded
 */
export function writtenId(value: string | number | bigint): string {
  if (!isExact(value)) wordsOf(value as string | bigint);
  return String(value);
}

/**
 * Returns an ID that a driver has read as decimal text. Small numbers are IDs, too: some drivers return them for small integers.
 *
 * @throws InvalidIdError if it is not an ID, or a number that the driver or JSON has rounded
 */
export function readId(value: string | number | bigint): string {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new InvalidIdError(value, 'is a number that JavaScript has rounded', ROUNDED);
  try {
    return writtenId(value);
  } catch (error) {
    throw error instanceof InvalidIdError ? new InvalidIdError(value, error.problem, STORED) : error;
  }
}

function isExact(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
