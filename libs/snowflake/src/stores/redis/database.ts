import { InvalidOptionError } from '../../core/errors/input-errors.js';

/**
 * Returns the database number that ioredis uses.
 *
 * @throws InvalidOptionError if it is not a whole number from 0: ioredis would send it, and fall back to database 0 when
 * the server refuses it
 */
export function requireDatabase(option: string, db: unknown = 0): number {
  if (typeof db === 'number' && Number.isSafeInteger(db) && db >= 0) return db;
  throw new InvalidOptionError(
    option,
    db,
    'is not a database number',
    'Use a whole number from 0, or omit it.',
  );
}

/**
 * Makes a script run in this database or fail. If the server refuses the SELECT of a connection (a missing right, too high
 * a number), ioredis keeps using the connection in database 0, so two processes could lease from two registries of one
 * namespace. A SELECT in a script affects only the script.
 */
export function inDatabase(script: string, database: number): string {
  return database === 0 ? script : `redis.call('SELECT', '${database}')\n${script}`;
}
