import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { Environment } from '../config/environment.js';

/** Returns the store of a namespace. Each user of it needs one of its own. */
export function leaseStore(
  { REDIS_URL, DATABASE_URL, SQLITE_PATH }: Environment,
  namespace: string,
): LeaseStore {
  if (REDIS_URL !== undefined) return redisLeaseStore({ url: REDIS_URL, namespace });
  return sqlLeaseStore({ url: DATABASE_URL ?? `sqlite:${SQLITE_PATH}`, namespace, createTable: true });
}
