import { Cluster, Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore, type SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Credentials, Places } from './places.js';

export const REDIS_FORMS = [
  'redis url',
  'redis url of the default user',
  'redis url, RESP2',
  'redis url and options',
  'redis options',
  'redis client',
  'redis sentinels',
  'redis cluster',
  'redis cluster by URLs',
  'redis cluster client',
] as const;
export const SQL_FORMS = [
  'postgres url',
  'postgres options',
  'postgres DataSource',
  'postgres function',
  'postgres replication',
  'mariadb url',
  'mariadb options',
] as const;

/** A password in the place of the user of a URL, or the two in each other's place. */
export const SWAPPED_FORMS = [
  'redis url, password as user',
  'redis url, password as user before a colon',
  'redis url, user as password',
  'redis client by URL, password as user',
  'redis cluster by URLs, password as user',
  'postgres url, password as user',
  'postgres url, user as password',
  'mariadb url, password as user',
  'mariadb function, user as password',
] as const;

/** A Redis that repeats in its answer what it was sent. */
export const ECHO_FORM = 'redis that repeats it';

/** Makes a store that shows these credentials. */
export function storeOf(form: string, places: Places, credentials: Credentials): LeaseStore {
  const namespace = form.replaceAll(/\W+/g, '-');
  if (form.startsWith('redis')) {
    return redisLeaseStore({ namespace, ...redisOptions(form, places, credentials) });
  }
  // An app that logs what its own connections do.
  const loud = { logging: true, maxQueryExecutionTime: 1 };
  const dataSource = databaseOf(form, places, credentials, loud);
  return sqlLeaseStore({ namespace, dataSource, createTable: true });
}

function redisOptions(form: string, places: Places, { password, sentinelPassword }: Credentials) {
  const { user, redis, echo, sentinel, master, cluster } = places;
  const encoded = encodeURIComponent(password);
  const url = `redis://${user}:${encoded}@127.0.0.1:${redis}`;
  const swapped = `${userInfoOf(form, user, encoded)}@127.0.0.1`;
  const account = { username: user, password };
  const at = (port: number) => ({ host: '127.0.0.1', port });
  switch (form) {
    case 'redis url':
      return { url };
    case 'redis url of the default user':
      return { url: `redis://:${encoded}@127.0.0.1:${redis}/0` };
    case 'redis url, RESP2':
      return { url, options: { protocol: 2 as const } };
    case 'redis url and options':
      return { url: `redis://127.0.0.1:${redis}`, options: account };
    case 'redis options':
      return { options: { ...at(redis), ...account } };
    case 'redis client':
      return { client: new Redis({ ...at(redis), ...account, lazyConnect: true }) };
    case 'redis sentinels':
      return { sentinels: [at(sentinel)], name: master, options: { ...account, sentinelPassword } };
    case 'redis cluster':
      return { cluster: { nodes: [at(cluster)], options: { redisOptions: account } } };
    case 'redis cluster by URLs':
      return { cluster: { nodes: [`redis://${user}:${encoded}@127.0.0.1:${cluster}`] } };
    case 'redis cluster client':
      return { client: new Cluster([at(cluster)], { lazyConnect: true, redisOptions: account }) };
    case 'redis client by URL, password as user':
      return { client: new Redis(`redis://${swapped}:${redis}`, { lazyConnect: true }) };
    case 'redis cluster by URLs, password as user':
      return { cluster: { nodes: [`redis://${swapped}:${cluster}`] } };
    case ECHO_FORM:
      return { url: `redis://${user}:${encoded}@127.0.0.1:${echo}` };
    default:
      return { url: `redis://${swapped}:${redis}` };
  }
}

/** What stands before the host of a URL. */
function userInfoOf(form: string, user: string, password: string): string {
  if (form.endsWith('password as user')) return password;
  if (form.endsWith('before a colon')) return `${password}:`;
  return form.endsWith('user as password') ? `${password}:${user}` : `${user}:${password}`;
}

function databaseOf(
  form: string,
  { user, postgres, mariadb, mariadbDatabase }: Places,
  { password }: Credentials,
  loud: object,
): SqlLeaseStoreOptions['dataSource'] {
  const isPostgres = form.startsWith('postgres');
  const type = isPostgres ? 'postgres' : 'mariadb';
  const [port, database] = isPostgres ? [postgres, 'postgres'] : [mariadb, mariadbDatabase];
  const userInfo = userInfoOf(form, user, encodeURIComponent(password));
  const url = `${type}://${userInfo}@127.0.0.1:${port}/${database}`;
  const byUrl: DataSourceOptions = { type, url, ...loud };
  const server = { host: '127.0.0.1', port, username: user, password, database };
  switch (form) {
    case 'postgres options':
    case 'mariadb options':
      return { type, ...server, ...loud };
    case 'postgres DataSource':
      return new DataSource(byUrl);
    case 'postgres function':
    case 'mariadb function, user as password':
      return async () => byUrl;
    case 'postgres replication':
      return { type: 'postgres', replication: { master: server, slaves: [{ url }] }, ...loud };
    default:
      return byUrl;
  }
}
