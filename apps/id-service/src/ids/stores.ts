import type { LeaseStore } from 'nestjs-snowflake';
import { type SegmentStore, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { Environment } from '../config/environment.js';

/** Returns the store of leases in a namespace. Each user of it needs one of its own. */
export function leaseStore(environment: Environment, namespace: string): LeaseStore {
  const { REDIS_URL } = environment;
  if (REDIS_URL !== undefined) return redisLeaseStore({ url: REDIS_URL, namespace });
  return sqlLeaseStore({ url: databaseUrl(environment), namespace, createTable: true });
}

/** Returns the store of segments. Each user of it needs one of its own. */
export function segmentStore(environment: Environment): SegmentStore {
  return sqlSegmentStore({ url: databaseUrl(environment), createTable: true });
}

function databaseUrl({ DATABASE_URL, SQLITE_PATH }: Environment): string {
  return DATABASE_URL ?? `sqlite:${SQLITE_PATH}`;
}
