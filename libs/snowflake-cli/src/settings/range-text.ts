import { InvalidOptionError } from 'nestjs-snowflake/core';
import { readTime } from './instant-text.js';

const DAY_MS = 86_400_000;
/** The days that have names, counted from today. */
const DAYS: Readonly<Record<string, number>> = { today: 0, yesterday: -1 };
const DATE = /^\d{4}-\d\d-\d\d$/;
/** A time before now, as `-1h` or `now-1h`. */
const AGO = /^(?:now)?-(\d{1,6})(s|m|h|d|w)$/;
const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

export const RANGE_HELP = 'a time before now such as -1h, or alone a day: a date, "today" or "yesterday"';

/** Returns a time before now in a form that doesn't look like an option: `-1h` as `now-1h`. */
export function asArgument(text: string): string {
  return text.startsWith('-') && AGO.test(text) ? `now${text}` : text;
}

/** Reads a range of two times, of a time before now up to now, or of a day in UTC. @throws InvalidOptionError */
export function readRange(
  fromText: string,
  toText: string | undefined,
  nowMs: number,
): readonly [from: Date, to: Date] {
  const from = readMoment('from', fromText, nowMs);
  if (toText !== undefined) return [from, readMoment('to', toText, nowMs)];
  if (fromText in DAYS || DATE.test(fromText)) return [from, new Date(from.getTime() + DAY_MS)];
  if (AGO.test(fromText)) return [from, new Date(nowMs)];
  throw new InvalidOptionError('to', undefined, 'is missing', 'Pass the end of the range, or a whole day.');
}

function readMoment(option: string, text: string, nowMs: number): Date {
  const day = Object.hasOwn(DAYS, text) ? DAYS[text] : undefined;
  if (day !== undefined) return new Date(Math.floor(nowMs / DAY_MS) * DAY_MS + day * DAY_MS);
  const [, count, unit] = AGO.exec(text) ?? [];
  if (count !== undefined) return new Date(nowMs - Number(count) * (UNITS_MS[unit ?? ''] ?? 0));
  return new Date(readTime(option, text, nowMs));
}
