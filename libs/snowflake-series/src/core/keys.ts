import { InvalidOptionError } from 'nestjs-snowflake/core';
import { text } from 'nestjs-snowflake/internal/core/options/option-rule';

const LONGEST_KEY = 128;

/** The rule of the name of a series. */
export const SERIES_NAME = text(
  /^[A-Za-z0-9_.-]{1,64}$/,
  'is not the name of a series',
  "Use 1 to 64 characters of A-Z a-z 0-9 _ . -, for example 'invoice'.",
);

/**
 * Returns the text of a scope or of a document's key. Databases compare texts with spaces at their ends in different ways.
 *
 * @throws InvalidOptionError
 */
export function requireKey(option: string, value: unknown): string {
  const isNumber = typeof value === 'bigint' || Number.isSafeInteger(value);
  const key = isNumber ? String(value) : value;
  const isKey = typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY;
  if (isKey && key.trim() === key && !/\p{Cc}|\p{Cs}/u.test(key)) return key;
  throw new InvalidOptionError(
    option,
    value,
    'is not a valid key',
    `Pass 1 to ${LONGEST_KEY} characters without leading or trailing spaces and without control characters, such as an ID.`,
  );
}

/** Returns the text of a scope; empty if there is none. @throws InvalidOptionError */
export function scopeOf(value: unknown): string {
  return value === undefined ? '' : requireKey('scope', value);
}
