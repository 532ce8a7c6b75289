import { registerAs } from '@nestjs/config';
import { readEnvironment } from './environment.js';

/** Where the HTTP server listens. */
export const serverConfig = registerAs('server', () => ({ port: readEnvironment(process.env).PORT }));

/** Which database keeps the rows: the SQLite file unless there is a URL. */
export const databaseConfig = registerAs('database', () => {
  const { SQLITE_PATH, DATABASE_URL } = readEnvironment(process.env);
  return { sqlitePath: SQLITE_PATH, url: DATABASE_URL };
});

/** Where worker IDs come from: Redis if there is one, else a fixed one if there is one, else the database. */
export const snowflakeConfig = registerAs('snowflake', () => {
  const { NODE_ENV, REDIS_URL, SNOWFLAKE_NAMESPACE, WORKER_ID } = readEnvironment(process.env);
  return {
    redisUrl: REDIS_URL,
    namespace: SNOWFLAKE_NAMESPACE,
    workerId: WORKER_ID,
    // An empty Redis is either brand-new or was wiped. At a desk it is new; in production the safe answer is to
    // wait until every window that may have been forgotten has ended.
    unknownHistory: NODE_ENV === 'production' ? ('wait' as const) : ('trust' as const),
  };
});
