import { instantMs } from 'nestjs-snowflake/kit';

/** More digits than a date has. */
const UNIX_TIME_MS = /^-?\d{9,}$/;

/** Returns an ISO 8601 date, or Unix time in milliseconds, as Unix time in milliseconds. @throws InvalidOptionError */
export function readInstant(option: string, text: string): number {
  return instantMs(option, UNIX_TIME_MS.test(text) ? Number(text) : text);
}

/** Reads an instant as {@link readInstant} does, or `now`. @throws InvalidOptionError */
export function readTime(option: string, text: string, nowMs: number): number {
  return text === 'now' ? nowMs : readInstant(option, text);
}

export const TIME_HELP = 'ISO 8601 with a time zone, a date (UTC), Unix time in milliseconds, or "now"';
