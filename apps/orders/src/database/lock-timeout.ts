import { QueryFailedError } from 'typeorm';

/** Error codes of lock timeouts and deadlocks on PostgreSQL, MariaDB / MySQL and SQLite. */
const LOCK_TIMEOUT_CODES = new Set([
  '55P03', // lock_not_available
  '57014', // query_canceled: statement_timeout
  '40P01', // deadlock_detected
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_LOCK_DEADLOCK',
]);

/** Returns whether a query failed because of a lock. Its transaction is rolled back, so it can be retried. */
export function isLockTimeout(error: QueryFailedError): boolean {
  const { code = '' } = error.driverError as { code?: string };
  return LOCK_TIMEOUT_CODES.has(code) || code.startsWith('SQLITE_BUSY');
}
