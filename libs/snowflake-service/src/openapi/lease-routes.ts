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

const DAY_MS = 86_400_000;
const WORKER_ID = integer(0, 2 ** 31 - 1);
/** Unix times and lengths that a registry can hold. */
const STORED_MS = integer(0, 999_999_999_999_999);
const FENCING_TOKEN: Schema = { type: 'string', minLength: 1, description: 'Identifies one grant.' };
const FLAG: Schema = { type: 'boolean' };

const PARAMETERS = [namespaceOf('leases'), CALL, TIMEOUT];

const LEASE_REQUEST = strictObject(
  {
    layout: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'Identifies the bit layout, the epoch and the range of worker IDs.',
    },
    firstWorkerId: WORKER_ID,
    workerCount: integer(1, 2 ** 31),
    windowMs: integer(1, DAY_MS),
    maxSkewMs: integer(0, DAY_MS),
    nonce: { type: 'string', pattern: '^[^@]{1,256}$' },
    retry: FLAG,
    assumeNew: FLAG,
    ignoreLoss: FLAG,
    searchSeed: WORKER_ID,
    preferOffline: FLAG,
    claim: strictObject({ workerId: WORKER_ID, fencingToken: FENCING_TOKEN, untilMs: STORED_MS }),
  },
  ['ignoreLoss', 'preferOffline', 'claim'],
);

const outcome = (value: string, name: string, properties: Model['properties']): Model => ({
  name: `SnowflakeLease${name}`,
  properties: { outcome: constant(value), ...properties },
});

const LEASE_REPLIES = [
  outcome('new', 'New', {
    workerId: WORKER_ID,
    fencingToken: FENCING_TOKEN,
    fromMs: STORED_MS,
    untilMs: STORED_MS,
    storeNowMs: STORED_MS,
  }),
  outcome('kept', 'Kept', { untilMs: STORED_MS, storeNowMs: STORED_MS }),
  outcome('wait', 'Wait', {
    waitMs: STORED_MS,
    reason: { type: 'string', enum: ['empty', 'history'] },
    storeNowMs: STORED_MS,
  }),
  outcome('full', 'Full', { nextFreeInMs: STORED_MS, storeNowMs: STORED_MS }),
  outcome('layout', 'Layout', { storedLayout: text() }),
  outcome('alone', 'Alone', { replicas: integer(0, 2 ** 31 - 1), storeNowMs: STORED_MS }),
  outcome('corrupt', 'Corrupt', { field: text(), stored: text() }),
] as const;

const RELEASE_REPLIES = [
  {
    ...outcome('released', 'Released', { takenUntilMs: STORED_MS }),
    optional: ['takenUntilMs'],
  },
  outcome('gone', 'Gone', {}),
] as const;

const REGISTRY: Model = {
  name: 'SnowflakeRegistry',
  properties: {
    storeNowMs: STORED_MS,
    layout: text(),
    historyId: text(),
    grantsAfterMs: STORED_MS,
    longestWindowMs: STORED_MS,
    longestMaxSkewMs: STORED_MS,
    freshWorkerId: integer(0, 2 ** 31, 'The next worker ID that was never used.'),
    unreadable: list(objectOf({ field: text(), stored: text() })),
    rows: list(
      objectOf({
        workerId: WORKER_ID,
        reservedUntilMs: STORED_MS,
        fencingToken: text('Empty after a release.'),
      }),
    ),
  },
  optional: [
    'layout',
    'historyId',
    'grantsAfterMs',
    'longestWindowMs',
    'longestMaxSkewMs',
    'freshWorkerId',
    'unreadable',
  ],
};

/** Describes the routes of leases. */
export const LEASE_ROUTES: RouteDescriptions = {
  lease: {
    summary: 'Acquires or renews the lease of a worker ID',
    parameters: PARAMETERS,
    body: LEASE_REQUEST,
    response: LEASE_REPLIES,
    discriminator: 'outcome',
  },
  release: {
    summary: 'Releases the lease of a worker ID',
    parameters: PARAMETERS,
    body: strictObject({ workerId: WORKER_ID, fencingToken: text(), lastUsedMs: STORED_MS }),
    response: RELEASE_REPLIES,
    discriminator: 'outcome',
  },
  inspect: {
    summary: 'Shows who holds which worker ID',
    parameters: PARAMETERS,
    response: [REGISTRY],
  },
};
