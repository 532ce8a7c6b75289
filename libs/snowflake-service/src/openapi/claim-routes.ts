import { CALL, namespaceOf, TIMEOUT } from './common-parameters.js';
import {
  constant,
  integer,
  list,
  type Model,
  objectOf,
  type RouteDescriptions,
  type Schema,
  strictObject,
  text,
} from './route-description.js';

const PARAMETERS = [namespaceOf('segments'), CALL, TIMEOUT];
const TAG: Schema = { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' };
const TOKEN: Schema = { type: 'string', pattern: '^[\\x20-\\x7e]{1,64}$' };
const NUMBER = integer(0, Number.MAX_SAFE_INTEGER);
const STEP = integer(1, 2 ** 31 - 1);
const REASON: Schema = { type: 'string', enum: ['history', 'restored', 'replaced'] };

const outcome = (value: string, name: string, properties: Model['properties'] = {}): Model => ({
  name: `SnowflakeClaim${name}`,
  properties: { outcome: constant(value), ...properties },
});

const LOST = outcome('lost', 'Lost', { reason: REASON });

const CLAIM_REPLIES = [
  outcome('granted', 'Granted', { token: text(), first: NUMBER, count: NUMBER, step: STEP }),
  outcome('spent', 'Spent'),
  outcome('unknown-tag', 'UnknownTag'),
  outcome('ended', 'Ended'),
  outcome('stride', 'Stride', { stored: text(), own: text() }),
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
  claim: {
    summary: 'Claims a segment',
    parameters: PARAMETERS,
    body: strictObject({
      tag: TAG,
      token: TOKEN,
      count: integer(1, 1_000_000_000),
      finished: list(TOKEN, { maxItems: 10_000 }),
    }),
    response: CLAIM_REPLIES,
    discriminator: 'outcome',
  },
  giveBack: {
    summary: 'Returns the unused numbers of segments',
    parameters: PARAMETERS,
    body: strictObject({
      rests: list(strictObject({ tag: TAG, token: TOKEN, ...NUMBERS }), { minItems: 1, maxItems: 1000 }),
    }),
    response: [RETURNED],
  },
  create: {
    summary: 'Creates a tag unless it exists',
    parameters: PARAMETERS,
    body: strictObject(
      {
        tag: TAG,
        first: integer(1, Number.MAX_SAFE_INTEGER),
        step: STEP,
        description: { type: 'string', maxLength: 256 },
      },
      ['description'],
    ),
    response: [outcome('created', 'Created'), outcome('exists', 'Exists'), LOST],
    discriminator: 'outcome',
  },
  resume: {
    summary: 'Resumes claims after a loss, above the highest numbers that were issued',
    parameters: PARAMETERS,
    body: strictObject({
      highest: { type: 'object', additionalProperties: integer(0, Number.MAX_SAFE_INTEGER - 1) },
    }),
    response: [outcome('resumed', 'Resumed'), outcome('missing', 'Missing', { tags: list(text()) })],
    discriminator: 'outcome',
  },
  inspect: {
    summary: 'Shows all tags, and who holds which numbers',
    parameters: PARAMETERS,
    response: [TAGS],
  },
};
