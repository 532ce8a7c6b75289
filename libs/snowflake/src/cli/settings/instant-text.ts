import { instantMs } from '../../core/layout/layout-validation.js';

/** Longer than the digits of a year. */
const UNIX_TIME_MS = /^-?\d{7,}$/;

/** Returns an ISO 8601 date, or a Unix time in milliseconds, as Unix time in milliseconds. @throws InvalidOptionError */
export function readInstant(option: string, text: string): number {
  return instantMs(option, UNIX_TIME_MS.test(text) ? Number(text) : text);
}
