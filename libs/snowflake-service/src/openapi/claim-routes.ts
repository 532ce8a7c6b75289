import { CLAIM, HIGHEST, NEW_TAG, RETURNS } from '../claims/claim-requests.js';
import {
  CLAIM_REPLIES,
  RESUME_REPLIES,
  RETURN_REPLIES,
  TAG_REPLIES,
  TAGS,
} from 'nestjs-snowflake/internal/kit/segment-fields';
import type { RouteDescriptions } from './route-description.js';
import { StoreRoutes } from './store-routes.js';

const claims = new StoreRoutes('segments', 'SnowflakeClaim');

/** Describes the routes of claims. */
export const CLAIM_ROUTES: RouteDescriptions = {
  claim: claims.change('claimSegment', 'Claims a segment', CLAIM, claims.outcomes(CLAIM_REPLIES)),
  returnRemainders: claims.change('returnSegments', 'Returns the unused numbers of segments', RETURNS, [
    { name: 'SnowflakeClaimReturns', ...RETURN_REPLIES },
  ]),
  create: claims.change(
    'createSegmentTag',
    'Creates a tag unless it exists',
    NEW_TAG,
    claims.outcomes(TAG_REPLIES),
  ),
  resume: claims.change(
    'resumeClaims',
    'Resumes claims after a loss, above the highest numbers that were issued',
    HIGHEST,
    claims.outcomes(RESUME_REPLIES),
  ),
  inspect: claims.reading('inspectClaims', 'Shows all tags, and who holds which numbers', {
    name: 'SnowflakeClaimTags',
    ...TAGS,
  }),
};
