import { InvalidIdError } from '../errors/input-errors.js';

/** Returns `encoded` if it is a string. @throws InvalidIdError */
export function requireText(encoded: unknown, remedy: string): string {
  if (typeof encoded === 'string') return encoded;
  const type = encoded === null ? 'null' : typeof encoded;
  throw new InvalidIdError(encoded, `is of type ${type}, not a string`, remedy);
}
