import { QueryFailedError } from 'typeorm';

/** A wait for a lock that was given up, or a deadlock: what PostgreSQL, MariaDB / MySQL and SQLite call it. */
const LOCK_TIMEOUT_CODES = new Set([
  '55P03', // lock_not_available
  '57014', // query_canceled: statement_timeout
  '40P01', // deadlock_detected
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_LOCK_DEADLOCK',
]);

/** Whether a query failed because somebody else held a lock for too long. The transaction is undone: retry. */
export function isLockTimeout(error: QueryFailedError): boolean {
  const { code = '' } = error.driverError as { code?: string };
  return LOCK_TIMEOUT_CODES.has(code) || code.startsWith('SQLITE_BUSY');
}
