import { CLAIM, HIGHEST, NEW_TAG, NUMBER, RETURNS, STEP } from '../claims/claim-requests.js';
import { list, objectOf, type Schema, text } from 'nestjs-snowflake/internal/kit/schema';
import type { Model, RouteDescriptions } from './route-description.js';
import { StoreRoutes } from './store-routes.js';

const claims = new StoreRoutes('segments', 'SnowflakeClaim');

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
