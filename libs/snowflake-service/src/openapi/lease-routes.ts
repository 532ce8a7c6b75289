import {
  FENCING_TOKEN,
  LEASE_REQUEST,
  RELEASE_REQUEST,
  STORED_MS,
  WORKER_ID,
} from '../leases/lease-requests.js';
import { integer, list, objectOf, text } from '../requests/schema.js';
import type { Model, RouteDescriptions } from './route-description.js';
import { StoreRoutes } from './store-routes.js';

const leases = new StoreRoutes('leases', 'SnowflakeLease');

const LEASE_REPLIES = [
  leases.outcome('new', {
    workerId: WORKER_ID,
    fencingToken: FENCING_TOKEN,
    fromMs: STORED_MS,
    untilMs: STORED_MS,
    storeNowMs: STORED_MS,
  }),
  leases.outcome('kept', { fencingToken: FENCING_TOKEN, untilMs: STORED_MS, storeNowMs: STORED_MS }),
  leases.outcome('copied', { storeNowMs: STORED_MS }),
  leases.outcome('wait', {
    waitMs: STORED_MS,
    reason: { type: 'string', enum: ['empty', 'history'] },
    storeNowMs: STORED_MS,
  }),
  leases.outcome('full', { nextFreeInMs: STORED_MS, storeNowMs: STORED_MS }),
  leases.outcome('layout', { storedLayout: text() }),
  leases.outcome('alone', { replicas: integer(0, 2 ** 31 - 1), storeNowMs: STORED_MS }),
  leases.outcome('corrupt', { field: text(), stored: text() }),
] as const;

const RELEASE_REPLIES = [
  leases.outcome('released', { reservedUntilMs: STORED_MS }, ['reservedUntilMs']),
  leases.outcome('gone'),
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
    waiting: integer(0, 2 ** 31, 'How many processes wait in line for their first lease.'),
    longestWaitMs: STORED_MS,
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
    'waiting',
    'longestWaitMs',
    'unreadable',
  ],
};

/** Describes the routes of leases. */
export const LEASE_ROUTES: RouteDescriptions = {
  lease: leases.change(
    'leaseWorkerId',
    'Acquires or renews the lease of a worker ID',
    LEASE_REQUEST,
    LEASE_REPLIES,
  ),
  release: leases.change(
    'releaseWorkerId',
    'Releases the lease of a worker ID',
    RELEASE_REQUEST,
    RELEASE_REPLIES,
  ),
  inspect: leases.reading('inspectLeases', 'Shows who holds which worker ID', REGISTRY),
};
