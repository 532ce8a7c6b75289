import { InvalidOptionError } from 'nestjs-snowflake/core';
import { LONGEST_NUMBER } from './series-options.js';

const LONGEST_REASON = 255;
const LONGEST_PERIOD = 16;

/** Refuses what is no reason why a number is void. @throws InvalidOptionError */
export function requireReason(reason: unknown): asserts reason is string {
  if (isText(reason, LONGEST_REASON) && reason.trim() !== '') return;
  throw new InvalidOptionError(
    'reason',
    reason,
    `must be a string of 1 to ${LONGEST_REASON} characters`,
    'State why no document has the number.',
  );
}

/** Refuses what no series has issued. @throws InvalidOptionError */
export function requireNumberText(text: unknown): asserts text is string {
  if (isText(text, LONGEST_NUMBER)) return;
  throw new InvalidOptionError(
    'text',
    text,
    'is not the text of a number',
    'Pass the text exactly as the series issued it.',
  );
}

/** Refuses what no number has as its period. @throws InvalidOptionError */
export function requirePeriod(period: unknown): asserts period is string {
  if (isText(period, LONGEST_PERIOD)) return;
  throw new InvalidOptionError(
    'period',
    period,
    'is not a period',
    "Pass the period of a number, such as '2026'.",
  );
}

/** Returns whether every database can hold the text: PostgreSQL refuses NUL, and half a surrogate pair has no UTF-8. */
function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest && !/\0|\p{Cs}/u.test(value);
}
