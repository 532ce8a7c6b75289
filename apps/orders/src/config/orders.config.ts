import { registerAs } from '@nestjs/config';
import { readEnvironment } from './environment.js';

/** Port and limits of the HTTP server. */
export const serverConfig = registerAs('server', () => {
  const { NODE_ENV, PORT, API_DOCS, CONSOLE, BODY_LIMIT_BYTES, HEALTH_DETAILS, TRUST_PROXY_HOPS } =
    readEnvironment(process.env);
  const isProduction = NODE_ENV === 'production';
  return {
    port: PORT,
    servesDocs: API_DOCS ?? !isProduction,
    servesConsole: CONSOLE ?? !isProduction,
    isProduction,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    showsHealthDetails: HEALTH_DETAILS,
    trustedProxies: TRUST_PROXY_HOPS,
  };
});

/** Rate limit per client. */
export const rateLimitConfig = registerAs('rateLimit', () => {
  const { RATE_LIMIT_REQUESTS, RATE_LIMIT_WINDOW_MS } = readEnvironment(process.env);
  return { requests: RATE_LIMIT_REQUESTS, windowMs: RATE_LIMIT_WINDOW_MS };
});

/** Reserves the end of the grace period for work after the last response: closing connections, releasing the lease. */
const LONGEST_CLOSING_MS = 2_000;

/** Time limits of the shutdown. */
export const shutdownConfig = registerAs('shutdown', () => {
  const { SHUTDOWN_GRACE_MS } = readEnvironment(process.env);
  const closingMs = Math.min(LONGEST_CLOSING_MS, SHUTDOWN_GRACE_MS / 2);
  return { graceMs: SHUTDOWN_GRACE_MS, drainMs: Math.floor(SHUTDOWN_GRACE_MS - closingMs) };
});

/** The database: the server at DATABASE_URL if set, else the SQLite file. */
export const databaseConfig = registerAs('database', () => {
  const { SQLITE_PATH, DATABASE_URL, DATABASE_LOCK_TIMEOUT_MS } = readEnvironment(process.env);
  return { sqlitePath: SQLITE_PATH, url: DATABASE_URL, lockTimeoutMs: DATABASE_LOCK_TIMEOUT_MS };
});

/** The source of worker IDs: Redis if REDIS_URL is set, else WORKER_ID if set, else the database. */
export const snowflakeConfig = registerAs('snowflake', () => {
  const { NODE_ENV, REDIS_URL, SNOWFLAKE_NAMESPACE, WORKER_ID } = readEnvironment(process.env);
  return {
    redisUrl: REDIS_URL,
    namespace: SNOWFLAKE_NAMESPACE,
    workerId: WORKER_ID,
    // An empty Redis is either new or wiped. In development it's new. In production it's safe to wait until every
    // window that Redis might have forgotten has ended.
    possibleLoss: NODE_ENV === 'production' ? ('wait' as const) : ('ignore' as const),
  };
});
