import { InvalidOptionError } from '../../core/errors/index.js';
import { concealed } from '../../core/errors/show-value.js';
import { parsedServerUrl } from '../server-url.js';
import type { DatabaseOptions } from './database-options.js';

const SERVERS = { postgres: 'postgres', postgresql: 'postgres', mysql: 'mysql', mariadb: 'mariadb' } as const;
const SCHEME = /^([a-z][a-z\d-]*):/i;

/**
 * Returns the database that a URL names.
 *
 * @param option the option as the user writes it
 * @throws InvalidOptionError if it names no database that can hold leases; it shows no part of the URL
 */
export function databaseOfUrl(url: unknown, option: string): DatabaseOptions {
  const text = typeof url === 'string' ? url : '';
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase() ?? '';
  if (scheme === 'sqlite' || scheme === 'file') {
    return { type: 'better-sqlite3', database: text.slice(scheme.length + 1).replace(/^\/\//, '') };
  }
  if (!Object.hasOwn(SERVERS, scheme) || parsedServerUrl(text) === undefined) {
    throw new InvalidOptionError(
      option,
      url === undefined || url === '' ? url : concealed(url),
      url === undefined || url === '' ? 'is missing' : 'is not the URL of a database',
      'Use postgres://…, mysql://…, mariadb://… (percent-encode the password), or sqlite:FILE. ' +
        'Is an environment variable missing?',
    );
  }
  return { type: SERVERS[scheme as keyof typeof SERVERS], url: text };
}
