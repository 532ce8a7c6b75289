import type { IdsRequest } from '../api/console-api.js';

const MAX_NAME_LENGTH = 64;

/** Returns the request in a body, or a sentence that explains why it is invalid. */
export function readIdsRequest(body: unknown, maxCount: number): IdsRequest | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'The body must be an object { maker, count }.';
  }
  const { maker, count, ...others } = body as Partial<Record<keyof IdsRequest, unknown>>;
  if (Object.keys(others).length > 0) return 'The body must have only maker and count.';
  if (typeof maker !== 'string' || maker.length === 0 || maker.length > MAX_NAME_LENGTH) {
    return `maker must be a name of at most ${MAX_NAME_LENGTH} characters.`;
  }
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > maxCount) {
    return `count must be a whole number from 1 to ${maxCount}.`;
  }
  return { maker, count };
}
