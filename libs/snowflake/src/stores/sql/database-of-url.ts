import { InvalidOptionError } from '../../core/errors/index.js';
import { redact } from '../../core/errors/show-value.js';
import { parsedServerUrl } from '../server-url.js';
import type { DatabaseOptions } from './database-options.js';
import { mysqlOptions, pgOptions } from './driver-options.js';

const SERVERS = { postgres: 'postgres', postgresql: 'postgres', mysql: 'mysql', mariadb: 'mariadb' } as const;
const SCHEME = /^([a-z][a-z\d-]*):/i;

/**
 * Returns the database that a URL names.
 *
 * @param option the option as the user writes it
 * @param driverOptions what goes to the driver beside the URL
 * @throws InvalidOptionError if it names no database that can hold leases, or contradicts the driver options; it shows no part
 * of the URL
 */
export function databaseOfUrl(url: unknown, option: string, driverOptions: object = {}): DatabaseOptions {
  const text = typeof url === 'string' ? url : '';
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase() ?? '';
  if (scheme === 'sqlite' || scheme === 'file') {
    return { type: 'better-sqlite3', database: text.slice(scheme.length + 1).replace(/^\/\//, '') };
  }
  const type = Object.hasOwn(SERVERS, scheme) ? SERVERS[scheme as keyof typeof SERVERS] : undefined;
  const parsed = parsedServerUrl(text) ?? parsedServerUrl(type === 'postgres' ? withHost(text) : '');
  if (type === undefined || parsed === undefined) {
    throw new InvalidOptionError(
      option,
      url === undefined || url === '' ? url : redact(url),
      url === undefined || url === '' ? 'is missing' : 'is not the URL of a database',
      'Use postgres://…, mysql://…, mariadb://… (percent-encode the password), or sqlite:FILE. ' +
        'Is an environment variable missing?',
    );
  }
  return {
    type,
    url: text,
    extra:
      type === 'postgres'
        ? pgOptions(text, driverOptions)
        : mysqlOptions(parsed.searchParams, driverOptions, option),
  };
}

/** Only pg reads a URL without a host, such as that of a Unix socket: `postgres://user@/database?host=/folder`. */
function withHost(url: string): string {
  return url.replace('@/', '@host/');
}
