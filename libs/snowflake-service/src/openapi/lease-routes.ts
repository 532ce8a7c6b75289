import {
  BACKFILL_REPLIES,
  BACKFILL_REQUEST,
  LEASE_REPLIES,
  LEASE_REQUEST,
  OPTIONAL_IN_REPLIES,
  REGISTRY,
  RELEASE_REPLIES,
  RELEASE_REQUEST,
} from 'nestjs-snowflake/internal/stores/lease-fields';
import type { RouteDescriptions } from './route-description.js';
import { StoreRoutes } from './store-routes.js';

const leases = new StoreRoutes('leases', 'SnowflakeLease');
const claims = new StoreRoutes('leases', 'SnowflakeBackfill');

/** Describes the routes of leases. */
export const LEASE_ROUTES: RouteDescriptions = {
  lease: leases.change(
    'leaseWorkerId',
    'Acquires or renews the lease of a worker ID',
    LEASE_REQUEST,
    leases.outcomes(LEASE_REPLIES, OPTIONAL_IN_REPLIES),
  ),
  release: leases.change(
    'releaseWorkerId',
    'Releases the lease of a worker ID',
    RELEASE_REQUEST,
    leases.outcomes(RELEASE_REPLIES, OPTIONAL_IN_REPLIES),
  ),
  backfill: claims.change(
    'claimPastTimestamps',
    'Claims timestamps of the past for an import',
    BACKFILL_REQUEST,
    claims.outcomes(BACKFILL_REPLIES),
  ),
  inspect: leases.reading('inspectLeases', 'Shows who holds which worker ID', {
    name: 'SnowflakeRegistry',
    ...REGISTRY,
  }),
};
