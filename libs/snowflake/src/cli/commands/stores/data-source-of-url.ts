import type { DatabaseOptions } from '../../../stores/sql/database-options.js';
import { InvalidOptionError } from '../../../core/index.js';
import { parsedServerUrl } from '../../../stores/server-url.js';
import { concealed } from '../../../core/errors/show-value.js';

const SERVERS = { postgres: 'postgres', postgresql: 'postgres', mysql: 'mysql', mariadb: 'mariadb' } as const;
const SCHEME = /^([a-z][a-z\d-]*):/i;

/** Returns the options of TypeORM for a URL. @throws InvalidOptionError if it names no database that can hold leases */
export async function dataSourceOfUrl(url: string): Promise<DatabaseOptions> {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase() ?? '';
  if (scheme === 'sqlite' || scheme === 'file') {
    const database = url.slice(scheme.length + 1).replace(/^\/\//, '');
    return { type: 'better-sqlite3', database, driver: await sqliteDriver() };
  }
  if (!Object.hasOwn(SERVERS, scheme) || parsedServerUrl(url) === undefined) {
    throw new InvalidOptionError(
      '--database',
      concealed(url),
      'is not the URL of a database',
      'Use postgres://…, mysql://…, mariadb://… (percent-encode the password), or sqlite:FILE.',
    );
  }
  return { type: SERVERS[scheme as keyof typeof SERVERS], url };
}

/** Returns the package that is installed. If none is, TypeORM says which one to install. */
async function sqliteDriver(): Promise<unknown> {
  for (const name of ['better-sqlite3', 'libsql']) {
    try {
      const module: { default?: unknown } = await import(name);
      return module.default;
    } catch {
      continue;
    }
  }
  return undefined;
}
