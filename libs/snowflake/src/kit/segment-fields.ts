import { integer, list, objectOf, oneOfTexts, text } from './schema.js';

// The replies of a store of segments, as they travel. The remote store reads them by it, and the service writes its OpenAPI document by it.
// They stand here, because the service runs without nestjs-snowflake-segments.

/** A number of a tag, or how many of them. */
export const NUMBER = integer(0, Number.MAX_SAFE_INTEGER);
export const STEP = integer(1, 2 ** 31 - 1);

const NUMBERS = { first: NUMBER, count: NUMBER };
const REASON = oneOfTexts('history', 'restored', 'replaced');
const LOST = { reason: REASON };

/** By outcome. */
export const CLAIM_REPLIES = {
  granted: { token: text(), ...NUMBERS, step: STEP },
  spent: {},
  'unknown-tag': {},
  ended: {},
  stride: { stored: text(), own: text() },
  lost: LOST,
};

export const RETURN_REPLIES = {
  properties: { replies: list(objectOf({ outcome: oneOfTexts('returned', 'unknown') })) },
};

export const TAG_REPLIES = { created: {}, exists: {}, lost: LOST };

export const RESUME_REPLIES = { resumed: {}, missing: { tags: list(text()) } };

/** All tags of a store. */
export const TAGS = {
  properties: {
    lost: REASON,
    tags: list(
      objectOf({
        tag: text(),
        next: NUMBER,
        step: STEP,
        rests: list(objectOf(NUMBERS)),
        held: list(objectOf({ token: text(), ...NUMBERS })),
      }),
    ),
  },
  optional: ['lost'],
};
