import {
  integer,
  list,
  type Model,
  objectOf,
  type RouteDescriptions,
  type Schema,
  strictObject,
  text,
} from './route-description.js';
import { StoreRoutes } from './store-routes.js';

const claims = new StoreRoutes('segments', 'SnowflakeClaim');

const TAG: Schema = { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' };
const TOKEN: Schema = { type: 'string', pattern: '^[\\x20-\\x7e]{1,64}$' };
const NUMBER = integer(0, Number.MAX_SAFE_INTEGER);
const STEP = integer(1, 2 ** 31 - 1);
const REASON: Schema = { type: 'string', enum: ['history', 'restored', 'replaced'] };

const LOST = claims.outcome('lost', { reason: REASON });

const CLAIM_REPLIES = [
  claims.outcome('granted', { token: text(), first: NUMBER, count: NUMBER, step: STEP }),
  claims.outcome('spent'),
  claims.outcome('unknown-tag'),
  claims.outcome('ended'),
  claims.outcome('stride', { stored: text(), own: text() }),
  LOST,
] as const;

const RETURNED: Model = {
  name: 'SnowflakeClaimReturns',
  properties: {
    replies: list(objectOf({ outcome: { type: 'string', enum: ['returned', 'unknown'] } })),
  },
};

const NUMBERS = { first: NUMBER, count: NUMBER };
const TAGS: Model = {
  name: 'SnowflakeClaimTags',
  properties: {
    lost: REASON,
    tags: list(
      objectOf({
        tag: text(),
        next: NUMBER,
        step: NUMBER,
        rests: list(objectOf(NUMBERS)),
        held: list(objectOf({ token: text(), ...NUMBERS })),
      }),
    ),
  },
  optional: ['lost'],
};

const CLAIM = strictObject({
  tag: TAG,
  token: TOKEN,
  count: integer(1, 1_000_000_000),
  finished: list(TOKEN, { maxItems: 10_000 }),
});

const RETURNS = strictObject({
  rests: list(strictObject({ tag: TAG, token: TOKEN, ...NUMBERS }), { minItems: 1, maxItems: 1000 }),
});

const NEW_TAG = strictObject(
  {
    tag: TAG,
    first: integer(1, Number.MAX_SAFE_INTEGER),
    step: STEP,
    description: { type: 'string', maxLength: 256 },
  },
  ['description'],
);

const HIGHEST = strictObject({
  highest: { type: 'object', additionalProperties: integer(0, Number.MAX_SAFE_INTEGER - 1) },
});

/** Describes the routes of claims. */
export const CLAIM_ROUTES: RouteDescriptions = {
  claim: claims.change('claimSegment', 'Claims a segment', CLAIM, CLAIM_REPLIES),
  returnRemainders: claims.change('returnSegments', 'Returns the unused numbers of segments', RETURNS, [
    RETURNED,
  ]),
  create: claims.change('createSegmentTag', 'Creates a tag unless it exists', NEW_TAG, [
    claims.outcome('created'),
    claims.outcome('exists'),
    LOST,
  ]),
  resume: claims.change(
    'resumeClaims',
    'Resumes claims after a loss, above the highest numbers that were issued',
    HIGHEST,
    [claims.outcome('resumed'), claims.outcome('missing', { tags: list(text()) })],
  ),
  inspect: claims.reading('inspectClaims', 'Shows all tags, and who holds which numbers', TAGS),
};
