import { instantMs } from 'nestjs-snowflake/internal/core/layout/instant';

/** More digits than a date has. */
const UNIX_TIME_MS = /^-?\d{9,}$/;

/** Reads an instant of RFC 3339, or Unix time in milliseconds. @throws InvalidOptionError */
export function readInstant(option: string, text: string): Date {
  return new Date(instantMs(option, UNIX_TIME_MS.test(text) ? Number(text) : text));
}

/** Reads an instant as {@link readInstant} does, or `now`. @throws InvalidOptionError */
export function readTime(option: string, text: string, nowMs: number): Date {
  return text === 'now' ? new Date(nowMs) : readInstant(option, text);
}

export const TIME_HELP = 'RFC 3339 with a time zone, a date (UTC), Unix time in milliseconds, or "now"';
