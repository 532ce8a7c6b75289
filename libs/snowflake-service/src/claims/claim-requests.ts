import type { SegmentClaim, SegmentReturn, TagRequest } from 'nestjs-snowflake-segments/store';
import { requireBounds, requireFields, requireWithin } from '../requests/request-fields.js';
import { invalidRequest } from '../requests/request-refusal.js';
import { integer, list, type ObjectSchema, strictObject } from 'nestjs-snowflake/internal/kit/schema';
import { NUMBER, STEP } from 'nestjs-snowflake/internal/kit/segment-fields';
import { TAG, TOKEN } from '../requests/tag-schema.js';

const MOST_TAGS = 100_000;
/** What the column of a tag holds. The table of Leaf may have names that no new tag can have. */
const LONGEST_TAG = 128;

export const CLAIM = strictObject({
  tag: TAG,
  token: TOKEN,
  count: integer(1, 1_000_000_000),
  finished: list(TOKEN, { maxItems: 10_000 }),
});

const RETURN = strictObject({ tag: TAG, token: TOKEN, first: NUMBER, count: NUMBER });
/** The unused numbers of several segments. */
export const RETURNS = strictObject({ rests: list(RETURN, { minItems: 1, maxItems: 1000 }) });

export const NEW_TAG = strictObject(
  {
    tag: TAG,
    first: integer(1, Number.MAX_SAFE_INTEGER),
    step: STEP,
    description: { type: 'string', maxLength: 256 },
  },
  ['description'],
);

const HIGHEST_NUMBER = integer(0, Number.MAX_SAFE_INTEGER - 1);
/** The highest numbers that were issued, by tag. */
export const HIGHEST = strictObject({ highest: { type: 'object', additionalProperties: HIGHEST_NUMBER } });

/** Reads a claim. @throws RequestRefusal */
export function toClaim(body: unknown): SegmentClaim {
  return checked('body', body, CLAIM);
}

/** Reads the unused numbers that a client returns. @throws RequestRefusal */
export function toReturns(body: unknown): readonly SegmentReturn[] {
  const { rests } = checked<{ rests: readonly unknown[] }>('body', body, RETURNS);
  return rests.map((rest) => checked<SegmentReturn>('rest', rest, RETURN));
}

/** Reads a new tag. @throws RequestRefusal */
export function toTag(body: unknown): TagRequest {
  return checked('body', body, NEW_TAG);
}

/** Reads the highest numbers that were issued, by tag. @throws RequestRefusal */
export function toHighest(body: unknown): Readonly<Record<string, number>> {
  const { highest } = checked<{ highest: Readonly<Record<string, number>> }>('body', body, HIGHEST);
  const entries = Object.entries(highest);
  // A schema of OpenAPI 3.0 bounds neither the number nor the names of properties.
  if (entries.length > MOST_TAGS) throw invalidRequest(`highest does not have 0 to ${MOST_TAGS} entries.`);
  for (const [tag, number] of entries) {
    if (tag.length > LONGEST_TAG) throw invalidRequest(`A tag has more than ${LONGEST_TAG} characters.`);
    requireWithin('A highest number', number, HIGHEST_NUMBER);
  }
  return highest;
}

function checked<Fields extends object>(name: string, given: unknown, schema: ObjectSchema): Fields {
  const fields = requireFields<Fields>(name, given, schema);
  requireBounds(fields, schema);
  return fields;
}
