import { existsSync } from 'node:fs';
import { type DatabaseOptions, sqlLeaseStore } from 'nestjs-snowflake/sql';
import { InvalidOptionError, systemClock } from 'nestjs-snowflake/core';
import { type LeaseStore, StoreRejectedError } from 'nestjs-snowflake/standalone';
import type { Redaction } from 'nestjs-snowflake/internal/core/errors/redaction';
import { credentialsIn, credentialsOfClient } from 'nestjs-snowflake/internal/kit/credentials';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { dataSourceOptions } from 'nestjs-snowflake/internal/kit/sql/database/database-choice';
import { type PackageUser, withCoordination, withPackage } from '../../frame/optional-package.js';
import { withNote } from '../../frame/slow-note.js';
import type { Terminal } from '../../frame/terminal.js';
import type { SqlStoreOptions, StoreSource } from './store-source.js';

/** What a command does with a store. */
export interface StorePurpose extends PackageUser {
  readonly timeoutMs: number;
  /** Whether missing tables may be created. */
  readonly createTable?: boolean;
  /** Where a person sees that the command is still connecting. */
  readonly terminal?: Terminal;
}

/** Makes a store of the command's own: a store object serves one user at a time. @throws SnowflakeError */
export async function makeStore(source: StoreSource, purpose: StorePurpose): Promise<LeaseStore> {
  switch (source.kind) {
    case 'redis': {
      const { redisLeaseStore } = await loadRedis(purpose);
      return redisLeaseStore(source.options);
    }
    case 'sql': {
      return sqlLeaseStore(await resolvedSql(source.options, purpose));
    }
    case 'etcd': {
      const { etcdLeaseStore } = await withCoordination(
        purpose,
        () => import('nestjs-snowflake-coordination/etcd'),
      );
      return etcdLeaseStore(source.options);
    }
    case 'zookeeper': {
      const { zookeeperLeaseStore } = await withCoordination(
        purpose,
        () => import('nestjs-snowflake-coordination/zookeeper'),
      );
      return zookeeperLeaseStore(source.options);
    }
    case 'memory': {
      const remedy = 'Use a store that processes share, such as redisLeaseStore() or sqlLeaseStore().';
      throw new InvalidOptionError(
        'store',
        'memoryLeaseStore',
        'exists only in the memory of the app, where this command cannot read it',
        remedy,
      );
    }
    default:
      return source.store;
  }
}

/** Runs `use` on an open store, and closes it. */
export async function withStore<Result>(
  source: StoreSource,
  purpose: StorePurpose,
  use: (store: LeaseStore) => Promise<Result>,
): Promise<Result> {
  const store = await makeStore(source, purpose);
  const { timeoutMs, terminal } = purpose;
  const inTime = <Value>(call: Promise<Value>): Promise<Value> =>
    settledWithin(systemClock, timeoutMs, call, () => notOpened(store, timeoutMs));
  try {
    const opened = Promise.resolve(store.open?.({ callTimeoutMs: timeoutMs }));
    await withNote(terminal, connectingTo(source), inTime(opened), timeoutMs);
    return await use(store);
  } finally {
    await inTime(store.close()).catch(() => undefined);
  }
}

/**
 * Returns the options of a SQL store with the options of its DataSource, which the app may have to make first.
 *
 * @throws StoreRejectedError if the file of a SQLite database is missing: connecting would create it
 */
export async function resolvedSql(
  options: SqlStoreOptions,
  { timeoutMs, createTable = false }: StorePurpose,
): Promise<SqlStoreOptions & { readonly dataSource: DatabaseOptions }> {
  const { dataSource: given } = options;
  const asked = Promise.resolve(typeof given === 'function' ? given() : given);
  const late = (): Error => new Error(`The function dataSource did not return within ${timeoutMs} ms.`);
  const dataSource = dataSourceOptions(await settledWithin(systemClock, timeoutMs, asked, late));
  if (!createTable) requireFile(dataSource, options.namespace);
  return { ...options, createTable, dataSource };
}

/** Knows the secrets of a store, so that no output shows them. */
export function secretsOf(source: StoreSource, ...others: readonly unknown[]): Redaction {
  if (source.kind === 'redis') {
    const { client, ...options } = source.options;
    return credentialsOfClient(options, client?.options, ...others).redaction;
  }
  if (source.kind === 'sql') {
    const { dataSource } = source.options;
    return credentialsIn('options' in dataSource ? dataSource.options : dataSource, ...others).redaction;
  }
  if (source.kind === 'etcd' || source.kind === 'zookeeper')
    return credentialsIn(source.options, ...others).redaction;
  return credentialsIn(...others).redaction;
}

const SERVERS: Partial<Record<StoreSource['kind'], string>> = {
  redis: 'Redis',
  sql: 'the database',
  etcd: 'etcd',
  zookeeper: 'ZooKeeper',
};

/** Returns what a person reads while a command connects. It doesn't show the URL, which can hold a password. */
export function connectingTo({ kind }: Pick<StoreSource, 'kind'>): string {
  return `Connecting to ${SERVERS[kind] ?? 'the store'} …`;
}

function loadRedis({ command, packages }: StorePurpose) {
  return withPackage('ioredis', command, () => import('nestjs-snowflake/redis'), packages);
}

function requireFile(options: DatabaseOptions, namespace: string): void {
  const file = String(options.database);
  if (options.type !== 'better-sqlite3' || existsSync(file)) return;
  throw new StoreRejectedError(
    `sqlite namespace "${namespace}" can't be opened: the file ${file} does not exist. ` +
      'Correct the file name, or run the command in the folder to which it is relative. ' +
      'For a new file, run init with --create-table first.',
  );
}

function notOpened({ description }: LeaseStore, timeoutMs: number): Error {
  return new Error(
    `${description} did not open within ${timeoutMs} ms. Check that it is reachable, or raise --timeout-ms.`,
  );
}
