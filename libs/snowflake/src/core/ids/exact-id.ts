import { seeDocs } from '../see-docs.js';
import { InvalidIdError } from '../errors/input-errors.js';
import { wordsOf } from './id-words.js';

const REMEDY =
  'Let the driver return exact integers, and let no JSON that the database makes hold an ID as a number. ' +
  seeDocs('guides/other-orms');

/**
 * Returns an ID of a column as decimal text. Small numbers are IDs, too: some drivers return them for small integers.
 *
 * @throws InvalidIdError if it is not an ID, or a number that JavaScript has rounded
 */
export function exactId(value: string | number | bigint): string {
  if (typeof value !== 'number') {
    wordsOf(value);
    return String(value);
  }
  if (Number.isSafeInteger(value) && value >= 0) return String(value);
  throw new InvalidIdError(value, 'is a number that JavaScript has rounded', REMEDY);
}
