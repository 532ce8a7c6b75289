import { registerAs } from '@nestjs/config';
import { readEnvironment } from './environment.js';

/** Where the HTTP server listens, and what it lets through. */
export const serverConfig = registerAs('server', () => {
  const { NODE_ENV, PORT, API_DOCS, BODY_LIMIT_BYTES, HEALTH_DETAILS, TRUST_PROXY_HOPS } = readEnvironment(
    process.env,
  );
  return {
    port: PORT,
    servesDocs: API_DOCS ?? NODE_ENV !== 'production',
    bodyLimitBytes: BODY_LIMIT_BYTES,
    showsHealthDetails: HEALTH_DETAILS,
    trustedProxies: TRUST_PROXY_HOPS,
  };
});

/** How many requests a client may send. */
export const rateLimitConfig = registerAs('rateLimit', () => {
  const { RATE_LIMIT_REQUESTS, RATE_LIMIT_WINDOW_MS } = readEnvironment(process.env);
  return { requests: RATE_LIMIT_REQUESTS, windowMs: RATE_LIMIT_WINDOW_MS };
});

/** The end of the grace period belongs to what comes after the last answer: connections to close, a lease to release. */
const LONGEST_CLOSING_MS = 2_000;

/** How the process ends. */
export const shutdownConfig = registerAs('shutdown', () => {
  const { SHUTDOWN_GRACE_MS } = readEnvironment(process.env);
  const closingMs = Math.min(LONGEST_CLOSING_MS, SHUTDOWN_GRACE_MS / 2);
  return { graceMs: SHUTDOWN_GRACE_MS, drainMs: Math.floor(SHUTDOWN_GRACE_MS - closingMs) };
});

/** Which database keeps the rows: the SQLite file unless there is a URL. */
export const databaseConfig = registerAs('database', () => {
  const { SQLITE_PATH, DATABASE_URL, DATABASE_LOCK_TIMEOUT_MS } = readEnvironment(process.env);
  return { sqlitePath: SQLITE_PATH, url: DATABASE_URL, lockTimeoutMs: DATABASE_LOCK_TIMEOUT_MS };
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
    onEmptyStore: NODE_ENV === 'production' ? ('wait' as const) : ('assumeNew' as const),
  };
});
