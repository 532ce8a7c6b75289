import type { App } from './app.js';
import { NotUnderstoodError } from './not-understood.js';
import type { StoreName } from './settings.js';

/** The databases that can hold leases, by the name that the library has for them. */
export type Dialect = 'postgres' | 'mysql' | 'mariadb' | 'sqlite';

/** Where the app will lease its worker IDs. */
export type LeasePlace =
  | { readonly store: 'memory' }
  | { readonly store: 'redis' }
  /** On the connection options of the app's TypeORM. */
  | { readonly store: 'sql'; readonly over: 'dataSource'; readonly dialect: Dialect | undefined }
  | {
      readonly store: 'sql';
      readonly over: 'url';
      readonly dialect: Dialect;
      readonly variable: string;
      /** The schema that keeps the tables from a tool that drops what it doesn't know. */
      readonly schema: string | undefined;
    };

const DIALECTS: Readonly<Record<string, Dialect>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  'better-sqlite3': 'sqlite',
  sqlite: 'sqlite',
};
const DRIVERS: Readonly<Record<string, Dialect>> = {
  pg: 'postgres',
  mysql2: 'mysql',
  'better-sqlite3': 'sqlite',
  libsql: 'sqlite',
};
const DATABASE_URL = 'DATABASE_URL';
const SCHEMA = 'snowflake';
const CHOOSE_ANOTHER = 'Lease worker IDs in Redis, or create a place for the tables by hand.';

/** Returns the store that fits an app best. */
export function defaultStore(app: App): StoreName {
  const { typeOrm, prisma, manifest } = app;
  const usesDatabase = typeOrm !== undefined || prisma !== undefined || driverDialect(app) !== undefined;
  if (usesDatabase && typeof sqlPlace(app) !== 'string') return 'sql';
  return manifest.packages['ioredis'] === undefined ? 'memory' : 'redis';
}

/** Returns where the leases go. @throws NotUnderstoodError if the app's database can't hold them, or the setup can't tell */
export function leasePlace(app: App, store: StoreName): LeasePlace {
  if (store !== 'sql') return { store };
  const place = sqlPlace(app);
  if (typeof place === 'string') throw new NotUnderstoodError(place);
  return place;
}

/** Returns the place in the app's database, or the reason why there is none. */
function sqlPlace(app: App): LeasePlace | string {
  const { typeOrm, prisma, otherOrm } = app;
  if (typeOrm) return inTypeOrm(typeOrm);
  if (prisma) return inPrisma(prisma);
  const dialect = driverDialect(app) ?? 'postgres';
  const schema = otherOrm === undefined ? undefined : SCHEMA;
  if (schema !== undefined && dialect !== 'postgres')
    return `${otherOrm} can drop tables that it doesn't know. ${CHOOSE_ANOTHER}`;
  return { store: 'sql', over: 'url', dialect, variable: DATABASE_URL, schema };
}

function inTypeOrm({ type, isInMemory, hasDefault }: NonNullable<App['typeOrm']>): LeasePlace | string {
  const dialect = type === undefined ? undefined : DIALECTS[type];
  if (type !== undefined && (dialect === undefined || type === 'sqlite'))
    return `The lease store doesn't work on TypeORM's type ${type}. ${CHOOSE_ANOTHER}`;
  if (isInMemory)
    return `A database in memory can't hold leases, because no other connection sees it. ${CHOOSE_ANOTHER}`;
  if (!hasDefault)
    return "All DataSources of the app have names, so setup can't tell which one should hold the leases.";
  return { store: 'sql', over: 'dataSource', dialect };
}

function inPrisma({ provider, variable }: NonNullable<App['prisma']>): LeasePlace | string {
  const dialect = DIALECTS[provider ?? ''];
  if (dialect === 'postgres') return { store: 'sql', over: 'url', dialect, variable, schema: SCHEMA };
  // The leases go into a separate file, which Prisma doesn't see.
  if (dialect === 'sqlite') return { store: 'sql', over: 'url', dialect, variable: '', schema: undefined };
  return `On ${provider ?? 'this database'}, Prisma drops tables that it doesn't know. ${CHOOSE_ANOTHER}`;
}

function driverDialect({ manifest }: App): Dialect | undefined {
  const driver = Object.keys(DRIVERS).find((name) => manifest.packages[name] !== undefined);
  return driver === undefined ? undefined : DRIVERS[driver];
}
