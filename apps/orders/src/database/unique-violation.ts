import { QueryFailedError } from 'typeorm';

/** What PostgreSQL, MariaDB / MySQL and SQLite call it. */
const UNIQUE_VIOLATION_CODES = new Set(['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Whether a query failed because a unique column holds that value already. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { code } = error.driverError as { code?: string };
  return code !== undefined && UNIQUE_VIOLATION_CODES.has(code);
}
