import { registerAs } from '@nestjs/config';
import { serverConfigs } from '../../../shared/src/environment/server-environment.js';
import { readEnvironment } from './environment.js';

/** What the parts that all servers share need to know. */
export const sharedConfigs = serverConfigs(() => readEnvironment(process.env));

/** Port of the HTTP server, and what it serves. */
export const serverConfig = registerAs('server', () => {
  const { NODE_ENV, PORT, API_DOCS, CONSOLE } = readEnvironment(process.env);
  const isProduction = NODE_ENV === 'production';
  return {
    port: PORT,
    servesDocs: API_DOCS ?? !isProduction,
    servesConsole: CONSOLE ?? !isProduction,
    isProduction,
  };
});

/** The database: the server at DATABASE_URL if set, else the SQLite file. */
export const databaseConfig = registerAs('database', () => {
  const { SQLITE_PATH, DATABASE_URL, DATABASE_LOCK_TIMEOUT_MS } = readEnvironment(process.env);
  return { sqlitePath: SQLITE_PATH, url: DATABASE_URL, lockTimeoutMs: DATABASE_LOCK_TIMEOUT_MS };
});

/** The source of worker IDs: the ID service if ID_SERVICE_URL is set, else Redis, else WORKER_ID, else the database. */
export const snowflakeConfig = registerAs('snowflake', () => {
  const { ID_SERVICE_URL, ID_SERVICE_TOKEN, REDIS_URL, SNOWFLAKE_NAMESPACE, WORKER_ID } = readEnvironment(
    process.env,
  );
  return {
    serviceUrl: ID_SERVICE_URL,
    serviceToken: ID_SERVICE_TOKEN,
    redisUrl: REDIS_URL,
    namespace: SNOWFLAKE_NAMESPACE,
    workerId: WORKER_ID,
  };
});
