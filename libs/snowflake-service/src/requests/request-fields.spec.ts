import { Ajv } from 'ajv';
import {
  CLAIM,
  HIGHEST,
  NEW_TAG,
  RETURNS,
  toClaim,
  toHighest,
  toReturns,
  toTag,
} from '../claims/claim-requests.js';
import type { Schema } from 'nestjs-snowflake/internal/kit/schema';
import { LEASE_REQUEST, RELEASE_REQUEST } from 'nestjs-snowflake/internal/stores/lease-fields';
import { toLeaseRequest, toReleaseRequest } from '../leases/lease-requests.js';

const REST = { tag: 'ticket', token: 'token', first: 1, count: 3 };
const LEASE = {
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: '0123456789abcdef:test',
  attempts: ['0123456789abcdef'],
  retry: false,
  assumeNew: true,
  ignoreLoss: false,
  searchSeed: 1,
  preferLongestOffline: false,
  claim: { workerId: 0, fencingToken: 'token', untilMs: 1 },
};

const REQUESTS: readonly (readonly [
  name: string,
  Schema,
  read: (body: unknown) => unknown,
  valid: object,
])[] = [
  ['a claim', CLAIM, toClaim, { tag: 'ticket', token: 'token', count: 5, finished: ['other'] }],
  ['the return of segments', RETURNS, toReturns, { rests: [REST] }],
  ['a new tag', NEW_TAG, toTag, { tag: 'ticket', first: 1, step: 100, description: 'of the cinema' }],
  ['the highest numbers', HIGHEST, toHighest, { highest: { ticket: 500 } }],
  ['a lease', LEASE_REQUEST, toLeaseRequest, LEASE],
  ['a release', RELEASE_REQUEST, toReleaseRequest, { workerId: 0, fencingToken: 'token', lastUsedMs: 1 }],
];

const OTHERS: readonly unknown[] = [
  undefined,
  null,
  true,
  [],
  [5],
  [{ ...REST, first: -1 }],
  {},
  { ticket: -1 },
  '',
  '\n',
  'x'.repeat(2000),
  -1,
  0,
  0.5,
  2 ** 52,
  2 ** 53,
];

describe('a request that the service reads', () => {
  const ajv = new Ajv({ strict: false, formats: { int64: true } });

  it.each(REQUESTS)('is refused wherever the OpenAPI document refuses it: %s', (_, schema, read, valid) => {
    const fits = ajv.compile(schema);
    expect(fits(valid)).toBe(true);
    expect(() => read(valid)).not.toThrow();
    const changed = [...Object.keys(valid), 'more'].flatMap((field) =>
      OTHERS.map((other): unknown => ({ ...valid, [field]: other })),
    );
    const refused = [...changed, ...OTHERS].filter((body) => !fits(body));
    expect(refused.length).toBeGreaterThan(OTHERS.length);
    for (const body of refused) expect(() => read(body)).toThrow();
  });
});
