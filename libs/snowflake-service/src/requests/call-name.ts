import { invalidRequest } from './request-refusal.js';

const CALL_NAME = /^[\w-]{1,64}$/;

/** Whether this is a name of a call, which the response repeats. */
export const isCallName = (value: unknown): value is string =>
  typeof value === 'string' && CALL_NAME.test(value);

/**
 * Refuses a call without a name. Its client could not tell the response from an older one that something in between repeats, and two
 * clients with one response would generate the same IDs.
 *
 * @param place where the client writes the name
 * @throws RequestRefusal
 */
export function requireCallName(place: string, value: unknown): void {
  if (isCallName(value)) return;
  throw invalidRequest(
    `${place} is not a name of 1 to 64 ASCII letters, digits, - and _. Send a new one with each call, and refuse a response with another.`,
  );
}
