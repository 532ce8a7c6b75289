import { InvalidOptionError } from '../../core/errors/index.js';

/**
 * Returns the number of a database as ioredis has it.
 *
 * @throws InvalidOptionError if it is not a whole number from 0: ioredis would send it, and use database 0 when the server
 * refuses it
 */
export function requireDatabase(option: string, db: unknown = 0): number {
  if (typeof db === 'number' && Number.isSafeInteger(db) && db >= 0) return db;
  throw new InvalidOptionError(
    option,
    db,
    'is not the number of a database',
    'Use a whole number from 0, or omit it.',
  );
}

/**
 * Lets a script run in this database or not at all. A connection whose SELECT was refused (a missing right, too high a
 * number) stays in database 0, and ioredis goes on with it: two processes that meant one namespace would have two.
 * Within a script, SELECT holds for the script only.
 */
export function inDatabase(script: string, database: number): string {
  return database === 0 ? script : `redis.call('SELECT', '${database}')\n${script}`;
}
