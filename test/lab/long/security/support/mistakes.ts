import {
  environmentLeaseStore,
  kubernetesLeaseStore,
  type LeaseStore,
  SnowflakeModule,
  type SnowflakeOptions,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { obfuscatingCodec, type ObfuscatingCodecOptions } from 'nestjs-snowflake/obfuscation';
import { redisLeaseStore, type RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { sqlLeaseStore, type SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import { verifySnowflakeDataSource } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';

/** Secrets that somebody puts where they do not belong. */
export interface Misplaced {
  readonly password: string;
  readonly keys: readonly [string, string];
}

type Mistake = (misplaced: Misplaced) => unknown;

const namespace = 'shop';
const urlWith = (password: string): string => `redis://app:${encodeURIComponent(password)}@127.0.0.1:6379`;
const redis = (options: unknown): LeaseStore =>
  redisLeaseStore({ namespace, ...(options as object) } as RedisLeaseStoreOptions);
const sql = (dataSource: unknown, more = {}): LeaseStore =>
  sqlLeaseStore({ namespace, dataSource, ...more } as SqlLeaseStoreOptions);
const codec = (options: unknown): unknown => obfuscatingCodec(options as ObfuscatingCodecOptions);
/** What `useFactory` returns. */
const returned = (options: unknown): SnowflakeOptions => options as SnowflakeOptions;

/** What the ID maker calls. */
const methodsOf = (store: LeaseStore): Omit<LeaseStore, 'description'> => ({
  renewable: store.renewable,
  lease: (request) => store.lease(request),
  release: (request) => store.release(request),
  inspect: () => store.inspect(),
  close: () => store.close(),
});

const OF_REDIS: Readonly<Record<string, Mistake>> = {
  'a URL in place of the options': ({ password }) => redisLeaseStore(urlWith(password) as never),
  'a URL of another kind': ({ password }) => redis({ url: urlWith(password).replace('redis', 'http') }),
  'a URL with a raw password': ({ password }) => redis({ url: `redis://app:${password}@127.0.0.1` }),
  'a URL with half a percent-encoding': ({ password }) =>
    redis({ url: `redis://app:${encodeURIComponent(password)}%ZZ@127.0.0.1` }),
  'a password that looks like a port': ({ password }) => redis({ url: `redis://app:6379/${password}@host` }),
  'a password behind a fragment': ({ password }) => redis({ url: `redis://app:1#${password}@127.0.0.1` }),
  'several URLs': ({ password }) => redis({ url: [urlWith(password)] }),
  'a URL object': ({ password }) => redis({ url: new URL(urlWith(password)) }),
  'a URL as namespace': ({ password }) => redis({ url: 'redis://127.0.0.1', namespace: urlWith(password) }),
  'options that are a URL': ({ password }) => redis({ options: urlWith(password) }),
  'options without a host': ({ password }) => redis({ options: { password } }),
  'a client that is none': ({ password }) => redis({ client: { options: { password } } }),
  'Sentinels as URLs': ({ password }) => redis({ sentinels: [`app:${password}@host`], name: 'main' }),
  'Sentinels as text': ({ password }) => redis({ sentinels: `app:${password}@host`, name: 'main' }),
  'a cluster that is a URL': ({ password }) => redis({ cluster: urlWith(password) }),
  'nodes without a host': ({ password }) => redis({ cluster: { nodes: [{ password }] } }),
  'nodes with a raw password': ({ password }) => redis({ cluster: { nodes: [`redis://:${password}@host`] } }),
  'a password beside the URL': ({ password }) => redis({ url: 'redis://127.0.0.1', password }),
  'a password as the name of an option': ({ password }) =>
    redis({ url: 'redis://127.0.0.1', [password]: true }),
  'a database that is a URL': ({ password }) =>
    redis({ options: { host: '127.0.0.1', db: urlWith(password) } }),
};

const OF_SQL: Readonly<Record<string, Mistake>> = {
  'a URL in place of a DataSource': ({ password }) => sql(`postgres://app:${password}@host/shop`),
  'a DSN in place of a DataSource': ({ password }) => sql(`app:${password}@host`),
  'a type that is a URL': ({ password }) => sql({ type: `postgres://app:${password}@host/shop` }),
  'a type that is none': ({ password }) => sql({ type: 'oracle', password }),
  'a database in memory with a key': ({ password }) =>
    sql({ type: 'better-sqlite3', database: `file::memory:?key=${encodeURIComponent(password)}` }),
  'a password beside the DataSource': ({ password }) => sql({ type: 'postgres' }, { password }),
  'a DataSource that is not initialized': ({ password }) =>
    verifySnowflakeDataSource(new DataSource({ type: 'postgres', host: '127.0.0.1', password })),
};

const OF_THE_MODULE: Readonly<Record<string, Mistake>> = {
  'a URL in place of the module options': ({ password }) =>
    SnowflakeModule.forRoot(urlWith(password) as never),
  'a URL in place of the asynchronous options': ({ password }) =>
    SnowflakeModule.forRootAsync(urlWith(password) as never),
  'a URL in place of useFactory': ({ password }) =>
    SnowflakeModule.forRootAsync({ useFactory: urlWith(password) as never }),
  'a URL that is returned': ({ password }) => returned(urlWith(password)),
  'a URL as store': ({ password }) => returned({ store: urlWith(password) }),
  'a DSN as store': ({ password }) => returned({ store: `app:${password}@host` }),
  'the options of a store as store': ({ password }) =>
    returned({ store: { url: urlWith(password), password } }),
  'a store that is called by its URL': ({ password }) =>
    returned({
      store: { ...methodsOf(staticLeaseStore({ workerId: 1 })), description: urlWith(password) },
    }),
  'the options of a store beside the store': ({ password }) =>
    returned({ store: staticLeaseStore({ workerId: 1 }), redis: { password } }),
  'a password as an instant': ({ password }) =>
    returned({ store: staticLeaseStore({ workerId: 1 }), epoch: { password } }),
  'a variable that holds a password': ({ password }) =>
    environmentLeaseStore({ variable: 'DB_PASSWORD', env: { DB_PASSWORD: password } }),
  'a label that is a password': ({ password }) => {
    Object.assign(process.env, { KUBERNETES_SERVICE_HOST: '10.0.0.1', DB_PASSWORD: password });
    return kubernetesLeaseStore({ podIndexVariable: 'DB_PASSWORD' });
  },
};

const OF_OBFUSCATION: Readonly<Record<string, Mistake>> = {
  'a key that is too short': ({ keys: [key] }) => codec({ keys: { 1: key.slice(0, 63) }, current: 1 }),
  'a key that is too long': ({ keys: [key] }) => codec({ keys: { 1: `${key}\n` }, current: 1 }),
  'half a key': ({ keys: [key] }) => codec({ keys: { 1: Buffer.from(key, 'hex').subarray(16) }, current: 1 }),
  'the text of a key as its bytes': ({ keys: [key] }) =>
    codec({ keys: { 1: Buffer.from(key.slice(0, 32)) }, current: 1 }),
  'a key without a version': ({ keys: [key] }) => codec({ keys: key, current: 1 }),
  'keys in an array': ({ keys }) => codec({ keys, current: 1 }),
  'a key in place of its version': ({ keys: [key] }) => codec({ keys: { [key]: 1 }, current: 1 }),
  'a key as the current one': ({ keys: [key] }) => codec({ keys: { 1: key }, current: key }),
  'one key twice': ({ keys: [key] }) => codec({ keys: { 1: key, 2: key.toUpperCase() }, current: 1 }),
  'a misspelt option': ({ keys: [key] }) => codec({ key: { 1: key }, current: 1 }),
  'a key in place of the options': ({ keys: [key] }) => codec(key),
  'a codec of another key in its text': ({ keys: [one, other] }) =>
    codec({ keys: { 1: one }, current: 1, text: { keys: { 1: other } } }),
};

/** Mistakes that the library refuses at once, by what they are. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  ...OF_REDIS,
  ...OF_SQL,
  ...OF_THE_MODULE,
  ...OF_OBFUSCATION,
};
