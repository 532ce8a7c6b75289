import { InvalidOptionError } from '../errors/input-errors.js';
import type { Instant } from './bit-layout-options.js';

/** The times of RFC 3339, whose seconds may be missing, and the years of more than four digits that `toISOString()` writes. */
const INSTANT =
  /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/i;
/** Matches what names its time zone, or is a date without a time. */
const SAME_EVERYWHERE = /^[+-]?\d{4,6}(-\d\d){0,2}$|(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i;

/** Unix time of now is larger in milliseconds, and smaller in seconds. */
const LEAST_MS = 1e11;
/** The last instant that an ECMAScript Date can hold, in the year 275,760. */
export const LAST_DATE_MS = 8.64e15;
const MINUTE_MS = 60_000;

/**
 * Converts an instant to Unix time in milliseconds.
 *
 * @throws InvalidOptionError if it is invalid, its meaning depends on the time zone of the process, its day doesn't exist, or a number
 *   looks like seconds
 */
export function instantMs(option: string, instant: Instant): number {
  const ms = readInstant(instant);
  if (Number.isSafeInteger(ms) && Math.abs(ms) <= LAST_DATE_MS) {
    if (typeof instant === 'number') refuseSeconds(option, ms);
    return ms;
  }
  if (dependsOnZone(instant)) {
    throw new InvalidOptionError(
      option,
      instant,
      'is a different instant in each time zone',
      "Add 'Z' for UTC, or an offset such as '+01:00'.",
    );
  }
  const names = typeof instant === 'string' && INSTANT.test(instant);
  throw new InvalidOptionError(
    option,
    instant,
    names ? 'is not a valid instant, because this day or time does not exist' : 'is not a valid instant',
    "Use a string as in RFC 3339, such as '2024-01-01' or '2024-01-01T00:00:00Z', a Date, or Unix time in whole milliseconds.",
  );
}

function readInstant(instant: Instant): number {
  if (typeof instant === 'number') return instant;
  if (typeof instant === 'string') return readText(instant);
  return instant instanceof Date ? instant.getTime() : Number.NaN;
}

function readText(text: string): number {
  const [, day, time = '00:00', second = '00', fraction = '', sign, hours, minutes] =
    INSTANT.exec(text) ?? [];
  if (day === undefined) return Number.NaN;
  const utc = `${day}T${time}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const ms = Date.parse(utc);
  // Some engines read February 30 as March 2, and 24:00 as the next day.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== utc) return Number.NaN;
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  return sign === '-' ? ms + offsetMs : ms - offsetMs;
}

function dependsOnZone(instant: Instant): boolean {
  return typeof instant === 'string' && !Number.isNaN(Date.parse(instant)) && !SAME_EVERYWHERE.test(instant);
}

function refuseSeconds(option: string, ms: number): void {
  if (ms === 0 || Math.abs(ms) >= LEAST_MS) return;
  throw new InvalidOptionError(
    option,
    ms,
    'looks like Unix time in seconds',
    `Pass milliseconds, such as ${ms * 1000}. If you mean the instant '${new Date(ms).toISOString()}', pass this string.`,
  );
}

/** Returns a time as text. The end of a window that never ends lies beyond all dates, and is shown as the last one. */
export function instantText(ms: number): string {
  return new Date(Math.min(ms, LAST_DATE_MS)).toISOString();
}
