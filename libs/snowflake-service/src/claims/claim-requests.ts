import { isSpaceName } from 'nestjs-snowflake/internal/core/options/space-name';
import type { SegmentClaim, SegmentReturn, TagRequest } from 'nestjs-snowflake-segments/store';
import { type FieldKinds, requireFields } from '../requests/request-fields.js';
import { invalidRequest } from '../requests/request-refusal.js';

const CLAIM: FieldKinds = { tag: 'text', token: 'text', count: 'number', finished: 'list' };
const RETURN: FieldKinds = { tag: 'text', token: 'text', first: 'number', count: 'number' };
const TAG: FieldKinds = { tag: 'text', first: 'number', step: 'number', description: 'text?' };

/** What the column of a token holds. */
const TOKEN = /^[\x20-\x7e]{1,64}$/;
const MOST_FINISHED = 10_000;
const MOST_RETURNED = 1000;
const MOST_TAGS = 100_000;
const LARGEST_CLAIM = 1_000_000_000;
const LARGEST_STEP = 2 ** 31 - 1;
const LONGEST_DESCRIPTION = 256;
/** What the column of a tag holds. The table of Leaf may have names that no new tag can have. */
const LONGEST_TAG = 128;

/** Reads a claim. @throws RequestRefusal */
export function toClaim(body: unknown): SegmentClaim {
  const claim = requireFields<SegmentClaim>('body', body, CLAIM);
  requireTag(claim.tag);
  requireToken('token', claim.token);
  requireNumber('count', claim.count, 1, LARGEST_CLAIM);
  requireLength('finished', claim.finished, 0, MOST_FINISHED);
  for (const token of claim.finished) requireToken('finished', token);
  return claim;
}

/** Reads the unused numbers that a client returns. @throws RequestRefusal */
export function toReturns(body: unknown): readonly SegmentReturn[] {
  const { rests } = requireFields<{ rests: readonly unknown[] }>('body', body, { rests: 'list' });
  requireLength('rests', rests, 1, MOST_RETURNED);
  return rests.map((given) => {
    const rest = requireFields<SegmentReturn>('rest', given, RETURN);
    requireTag(rest.tag);
    requireToken('token', rest.token);
    requireNumber('first', rest.first, 0, Number.MAX_SAFE_INTEGER);
    requireNumber('count', rest.count, 0, Number.MAX_SAFE_INTEGER);
    return rest;
  });
}

/** Reads a new tag. @throws RequestRefusal */
export function toTag(body: unknown): TagRequest {
  const request = requireFields<TagRequest>('body', body, TAG);
  requireTag(request.tag);
  requireNumber('first', request.first, 1, Number.MAX_SAFE_INTEGER);
  requireNumber('step', request.step, 1, LARGEST_STEP);
  if ((request.description ?? '').length > LONGEST_DESCRIPTION)
    throw invalidRequest(`description has more than ${LONGEST_DESCRIPTION} characters.`);
  return request;
}

/** Reads the highest numbers that were issued, by tag. @throws RequestRefusal */
export function toHighest(body: unknown): Readonly<Record<string, number>> {
  const { highest } = requireFields<{ highest: Readonly<Record<string, number>> }>('body', body, {
    highest: 'object',
  });
  const entries = Object.entries(highest);
  requireLength('highest', entries, 0, MOST_TAGS);
  for (const [tag, number] of entries) {
    if (tag.length > LONGEST_TAG) throw invalidRequest(`A tag has more than ${LONGEST_TAG} characters.`);
    requireNumber('A highest number', number, 0, Number.MAX_SAFE_INTEGER - 1);
  }
  return highest;
}

function requireTag(tag: string): void {
  if (!isSpaceName(tag)) throw invalidRequest('tag is not 1 to 128 characters of A-Z a-z 0-9 _ . : -');
}

function requireToken(field: string, token: unknown): void {
  if (typeof token === 'string' && TOKEN.test(token)) return;
  throw invalidRequest(`${field} has a value that is not 1 to 64 printable ASCII characters.`);
}

function requireNumber(field: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw invalidRequest(`${field} is not a whole number from ${min} to ${max}.`);
}

function requireLength(field: string, list: readonly unknown[], min: number, max: number): void {
  if (list.length >= min && list.length <= max) return;
  throw invalidRequest(`${field} does not have ${min} to ${max} entries.`);
}
