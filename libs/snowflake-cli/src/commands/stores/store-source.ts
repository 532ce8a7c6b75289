import { InvalidOptionError } from 'nestjs-snowflake/core';
import { REDACTED } from 'nestjs-snowflake/internal/core/errors/show-value';
import { NAMESPACE } from 'nestjs-snowflake/internal/stores/namespace';
import { requireRedisUrl } from 'nestjs-snowflake/internal/stores/redis/redis-url';
import { LEASE_TABLES } from 'nestjs-snowflake/internal/stores/sql/lease-tables';
import type { SqlSettings } from 'nestjs-snowflake/internal/stores/sql/sql-options';
import { showsOptions, STORE_OPTIONS } from 'nestjs-snowflake/internal/stores/store-options';
import type { LeaseStore } from 'nestjs-snowflake/standalone';
import type { EtcdLeaseStoreOptions } from 'nestjs-snowflake-coordination/etcd';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import type { ZookeeperLeaseStoreOptions } from 'nestjs-snowflake-coordination/zookeeper';
import { DATABASE_OPTIONS, databaseOfUrl } from 'nestjs-snowflake/internal/kit/sql/database/database-choice';
import type { SqlDatabaseSource, SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import { type PackageUser, withCoordination } from '../../frame/optional-package.js';
import { type AppOptions, loadAppOptions } from '../../settings/app-options.js';
import type { StoreFlags } from './store-flags.js';
import type { FlagsOfApp } from './store-of-app.js';

/** The options of a SQL store, with its database as the store found it. */
export type SqlStoreOptions = SqlLeaseStoreOptions & { readonly dataSource: SqlDatabaseSource };

/** A store as it was configured. */
export type StoreSource =
  | { readonly kind: 'redis'; readonly options: RedisLeaseStoreOptions }
  /** `hasDataSource`: the app gave a DataSource, which may also hold its entities. */
  | { readonly kind: 'sql'; readonly options: SqlStoreOptions; readonly hasDataSource?: boolean }
  | { readonly kind: 'etcd'; readonly options: EtcdLeaseStoreOptions }
  | { readonly kind: 'zookeeper'; readonly options: ZookeeperLeaseStoreOptions }
  | { readonly kind: 'memory' }
  /** A store of another package, or one without a registry. */
  | { readonly kind: 'other'; readonly store: LeaseStore };

/** What a command works on. */
export interface Subject {
  readonly source: StoreSource;
  /** The options of the app; empty if the flags name the server. */
  readonly app: Partial<AppOptions>;
}

const WAYS = ['redis', 'database', 'etcd', 'zookeeper', 'options'] as const;
const ONE_WAY =
  'Give exactly one of --redis URL, --database URL, --etcd URL, --zookeeper HOSTS (each with --namespace) and --options FILE.';

/**
 * Returns the flags; without a store, with that of the app in the present folder.
 *
 * @throws InvalidOptionError if its sources don't say which one that is
 */
export async function withStoreOfApp<Flags extends StoreFlags>(flags: Flags): Promise<Flags & FlagsOfApp> {
  if (WAYS.some((each) => flags[each] !== undefined)) return flags;
  // With a store, a command doesn't load what reads the sources of the app.
  const { storeOfApp } = await import('./store-of-app.js');
  return { ...storeOfApp(process.cwd(), process.env), ...flags };
}

/** Returns what the flags name. @throws InvalidOptionError, MissingPackageError */
export async function subjectOf(flags: StoreFlags, user: PackageUser): Promise<Subject> {
  const [way, second] = WAYS.filter((each) => flags[each] !== undefined);
  if (way === undefined) throw new InvalidOptionError('--redis', undefined, 'is missing', ONE_WAY);
  if (second !== undefined)
    throw new InvalidOptionError(`--${second}`, REDACTED, `conflicts with --${way}`, ONE_WAY);
  if (flags.options === undefined) return { source: await sourceOfUrl(flags, user), app: {} };
  for (const flag of ['namespace', 'table', 'schema'] as const) {
    if (flags[flag] === undefined) continue;
    const remedy = 'Omit it: the store of the app has its own.';
    throw new InvalidOptionError(`--${flag}`, flags[flag], 'conflicts with --options', remedy);
  }
  const app = await loadAppOptions(flags.options);
  return { source: sourceOfStore(app.store), app };
}

/** Returns how a store was made. @throws InvalidOptionError if it is not a lease store */
export function sourceOfStore(store: LeaseStore | undefined): StoreSource {
  if (typeof store !== 'object' || store === null || typeof store.inspect !== 'function') {
    const remedy = 'Export the options that SnowflakeModule.forRoot() takes, with their store.';
    throw new InvalidOptionError('store', REDACTED, 'is not a lease store', remedy);
  }
  if (!showsOptions(store)) return { kind: 'other', store };
  const shown = store[STORE_OPTIONS]();
  switch (shown.kind) {
    case 'redis':
      return { kind: 'redis', options: shown.options as RedisLeaseStoreOptions };
    case 'sql':
      return sqlSource(shown.options as SqlSettings);
    case 'etcd':
      return { kind: 'etcd', options: shown.options as EtcdLeaseStoreOptions };
    case 'zookeeper':
      return { kind: 'zookeeper', options: shown.options as ZookeeperLeaseStoreOptions };
    case 'memory':
      return { kind: 'memory' };
    default:
      return { kind: 'other', store: shown.options as LeaseStore };
  }
}

function sqlSource({ hasDataSource, ...options }: SqlSettings): StoreSource {
  return { kind: 'sql', options, hasDataSource };
}

async function sourceOfUrl(flags: StoreFlags, user: PackageUser): Promise<StoreSource> {
  const { redis, etcd, zookeeper, database = '', namespace, table, schema } = flags;
  if (namespace === undefined) {
    const remedy = 'Name the ID space, e.g. --namespace shop.';
    throw new InvalidOptionError('--namespace', undefined, 'is missing', remedy);
  }
  NAMESPACE.check('--namespace', namespace);
  if (redis !== undefined)
    return { kind: 'redis', options: { url: requireRedisUrl(redis, '--redis'), namespace } };
  if (etcd !== undefined) {
    const { requireEtcdUrl } = await withCoordination(
      user,
      () => import('nestjs-snowflake-coordination/internal/etcd/etcd-options'),
    );
    return { kind: 'etcd', options: { url: requireEtcdUrl(etcd, '--etcd'), namespace } };
  }
  if (zookeeper !== undefined) {
    const { requireConnectString } = await withCoordination(
      user,
      () => import('nestjs-snowflake-coordination/internal/zookeeper/zookeeper-options'),
    );
    const connectString = requireConnectString(zookeeper, '--zookeeper');
    return { kind: 'zookeeper', options: { connectString, namespace } };
  }
  if (table !== undefined) LEASE_TABLES.nameRule.check('--table', table);
  DATABASE_OPTIONS.schema.check('--schema', schema);
  const named = databaseOfUrl(database, '--database', {}, schema);
  const dataSource = schema === undefined ? named : { ...named, schema };
  return { kind: 'sql', options: { dataSource, namespace, tableName: table } };
}
