import { invalidRequest } from './request-refusal.js';

const WHOLE_NUMBER = /^\d{1,9}$/;

/** Reads a count in a query: 1 if there is none, NaN if it is no whole number. */
export function countIn(text: string | undefined): number {
  if (text === undefined) return 1;
  return WHOLE_NUMBER.test(text) ? Number(text) : Number.NaN;
}

/** Returns the count if the service serves so many at once. @throws RequestRefusal */
export function requireCount(count: number, maxCount: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= maxCount) return count;
  throw invalidRequest(`count is not a whole number from 1 to ${maxCount}.`);
}
