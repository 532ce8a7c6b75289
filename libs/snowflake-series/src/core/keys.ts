import { InvalidOptionError } from 'nestjs-snowflake/core';

const SERIES_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const LONGEST_KEY = 128;

/** Returns a valid name of a series. @throws InvalidOptionError */
export function requireSeriesName(name: unknown): string {
  if (typeof name === 'string' && SERIES_NAME.test(name)) return name;
  const remedy = "Use 1 to 64 characters of A-Z a-z 0-9 _ . -, for example 'invoice'.";
  throw new InvalidOptionError('series', name, 'is not the name of a series', remedy);
}

/**
 * Returns the text of a scope or of a document's key. Databases compare texts with spaces at their ends in different ways.
 *
 * @throws InvalidOptionError
 */
export function requireKey(option: string, value: unknown): string {
  const isNumber = typeof value === 'bigint' || Number.isSafeInteger(value);
  const text = isNumber ? String(value) : value;
  const isKey = typeof text === 'string' && text !== '' && text.length <= LONGEST_KEY;
  if (isKey && text.trim() === text && !/\p{Cc}|\p{Cs}/u.test(text)) return text;
  throw new InvalidOptionError(
    option,
    value,
    `is not a text of 1 to ${LONGEST_KEY} characters`,
    'Pass a text without spaces at its ends and without control characters, such as an ID.',
  );
}

/** Returns the text of a scope; empty if there is none. @throws InvalidOptionError */
export function scopeOf(value: unknown): string {
  return value === undefined ? '' : requireKey('scope', value);
}
