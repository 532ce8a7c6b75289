import {
  integer,
  type IntegerSchema,
  list,
  type ListSchema,
  objectOf,
  type ObjectSchema,
  oneOfTexts,
  type Schema,
  strictObject,
  text,
  type TextSchema,
} from '../kit/schema.js';
import type {
  BackfillReply,
  BackfillRequest,
  LeaseClaim,
  LeaseReply,
  LeaseRequest,
  RegistryRow,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  UnreadableField,
} from '../lease/lease-store.js';

// The fields of the port of stores, as they travel. check-request.ts takes the bounds from here, the remote store reads replies by it, and
// the service checks requests, converts gRPC messages and writes its OpenAPI document by it.

/** The schemas of a type. The compiler refuses a field that the type doesn't have, one that is missing, and one of another type. */
type Fields<Of> = { readonly [Name in Exclude<keyof Of, 'outcome'>]-?: SchemaOf<Required<Of>[Name]> };
type SchemaOf<Value> = Value extends boolean
  ? Schema
  : Value extends number
    ? IntegerSchema
    : Value extends string
      ? TextSchema
      : Value extends readonly unknown[]
        ? ListSchema
        : ObjectSchema;
type Replies<Reply extends { readonly outcome: string }> = {
  readonly [Outcome in Reply['outcome']]: Fields<Extract<Reply, { readonly outcome: Outcome }>>;
};

export const DAY_MS = 86_400_000;
const FLAG: Schema = { type: 'boolean' };
export const WORKER_ID = integer(0, 2 ** 31 - 1);
/** Unix times and lengths that a registry can hold. */
export const STORED_MS = integer(0, 999_999_999_999_999);
const FENCING_TOKEN = { ...text('Identifies one grant and its last renewal.'), minLength: 1 };
/** The layout has ten times what this library sends. A registry stores it, and returns it to everybody whose layout is another one. */
export const LONGEST_LAYOUT = 1000;
export const MOST_ATTEMPTS = 64;
export const NONCE = { ...text(), pattern: '^[^@~]{1,200}$' };
export const ATTEMPT = { ...text(), pattern: '^[^@~:]{1,64}$' };

export const LEASE_CLAIM = strictObject({
  workerId: WORKER_ID,
  fencingToken: FENCING_TOKEN,
  untilMs: STORED_MS,
} satisfies Fields<LeaseClaim>);

const WORKER_RANGE = {
  layout: {
    ...text('Identifies the bit layout, the epoch and the range of worker IDs.'),
    minLength: 1,
    maxLength: LONGEST_LAYOUT,
  },
  firstWorkerId: WORKER_ID,
  workerCount: integer(1, 2 ** 31),
};

export const LEASE_REQUEST = strictObject(
  {
    ...WORKER_RANGE,
    windowMs: integer(1, DAY_MS),
    maxSkewMs: integer(0, DAY_MS),
    nonce: NONCE,
    attempts: list(ATTEMPT, { minItems: 1, maxItems: MOST_ATTEMPTS }),
    retry: FLAG,
    assumeNew: FLAG,
    ignoreLoss: FLAG,
    searchSeed: WORKER_ID,
    preferLongestOffline: FLAG,
    claim: LEASE_CLAIM,
  } satisfies Fields<LeaseRequest>,
  ['attempts', 'ignoreLoss', 'preferLongestOffline', 'claim'],
);

export const RELEASE_REQUEST = strictObject({
  workerId: WORKER_ID,
  fencingToken: text(),
  lastUsedMs: STORED_MS,
} satisfies Fields<ReleaseRequest>);

export const BACKFILL_REQUEST = strictObject(
  {
    ...WORKER_RANGE,
    firstMs: integer(1, STORED_MS.maximum, 'The first timestamp that is needed.'),
    untilMs: integer(
      1,
      STORED_MS.maximum,
      'The last timestamp that is needed if the claim can begin at `firstMs`.',
    ),
    maxShiftMs: integer(0, DAY_MS, 'By how much the claim may begin and end later.'),
    workerId: integer(0, WORKER_ID.maximum, 'The worker ID of your last claim, which is preferred.'),
    ignoreLoss: FLAG,
  } satisfies Fields<BackfillRequest>,
  ['workerId'],
);

const STORE_NOW = { storeNowMs: STORED_MS };

/** By outcome. */
export const LEASE_REPLIES: Replies<LeaseReply> = {
  new: {
    workerId: WORKER_ID,
    fencingToken: FENCING_TOKEN,
    fromMs: STORED_MS,
    untilMs: STORED_MS,
    ...STORE_NOW,
  },
  kept: { fencingToken: FENCING_TOKEN, untilMs: STORED_MS, ...STORE_NOW },
  copied: STORE_NOW,
  wait: { waitMs: STORED_MS, reason: oneOfTexts('empty', 'history'), ...STORE_NOW },
  full: { nextFreeInMs: STORED_MS, ...STORE_NOW },
  layout: { storedLayout: text() },
  alone: { replicas: WORKER_ID, ...STORE_NOW },
  corrupt: { field: text(), stored: text() },
};

export const BACKFILL_REPLIES: Replies<BackfillReply> = {
  claimed: { workerId: WORKER_ID, fromMs: STORED_MS, untilMs: STORED_MS },
  'possible-loss': {},
  wait: {},
  full: {},
  layout: LEASE_REPLIES.layout,
  corrupt: LEASE_REPLIES.corrupt,
};

export const RELEASE_REPLIES: Replies<ReleaseReply> = { released: { reservedUntilMs: STORED_MS }, gone: {} };
export const OPTIONAL_IN_REPLIES: readonly string[] = ['reservedUntilMs'];

export const REGISTRY = {
  properties: {
    ...STORE_NOW,
    layout: text(),
    historyId: text(),
    grantsAfterMs: STORED_MS,
    longestWindowMs: STORED_MS,
    longestMaxSkewMs: STORED_MS,
    freshWorkerId: integer(0, 2 ** 31, 'The next worker ID that was never used.'),
    waiting: integer(0, 2 ** 31, 'How many processes wait in line for their first lease.'),
    longestWaitMs: STORED_MS,
    unreadable: list(objectOf({ field: text(), stored: text() } satisfies Fields<UnreadableField>)),
    rows: list(
      objectOf({
        workerId: WORKER_ID,
        reservedUntilMs: STORED_MS,
        fencingToken: text('Empty after a release.'),
      } satisfies Fields<RegistryRow>),
    ),
  } satisfies Fields<RegistrySnapshot>,
  optional: [
    'layout',
    'historyId',
    'grantsAfterMs',
    'longestWindowMs',
    'longestMaxSkewMs',
    'freshWorkerId',
    'waiting',
    'longestWaitMs',
    'unreadable',
  ],
};
