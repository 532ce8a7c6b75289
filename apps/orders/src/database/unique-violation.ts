import { QueryFailedError } from 'typeorm';

/** Error codes of unique violations on PostgreSQL, MariaDB / MySQL and SQLite. */
const UNIQUE_VIOLATION_CODES = new Set(['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Returns whether a query failed because a unique column already has the value. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code } = error.driverError as { code?: string };
  return code !== undefined && UNIQUE_VIOLATION_CODES.has(code);
}
