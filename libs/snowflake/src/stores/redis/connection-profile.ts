import {
  Cluster,
  type ClusterNode,
  type ClusterOptions,
  Redis,
  type RedisOptions,
  type SentinelAddress,
} from 'ioredis';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { safeReason } from '../../core/errors/foreign-error.js';
import { REDACTED } from '../../core/errors/show-value.js';
import { type Credentials, credentialsIn, credentialsOfClient } from '../../kit/credentials.js';
import { areLoopbackHosts } from '../../kit/loopback.js';
import { parsedServerUrl } from '../../kit/server-url.js';
import { requireDatabase } from './database.js';
import type { RedisLeaseStoreOptions } from './redis-options.js';

/** Makes a new connection that `callTimeoutMs` bounds and that does not connect by itself. */
export type ConnectionMaker = (callTimeoutMs: number) => Redis | Cluster;

/** How a store reaches Redis. */
export interface ConnectionProfile {
  /** The database that holds the registry. */
  readonly database: number;
  /** Reads the credentials each time, since an app may change the password in the options of its client. */
  readonly credentials: () => Credentials;
  readonly connect: ConnectionMaker;
  /** Whether all addresses are this machine. */
  readonly isOnLoopback: boolean;
}

const RECONNECT_WITHIN_MS = 500;
/** Connecting takes longer than a call on an open connection. With TLS, a shorter timeout would never suffice. */
const MIN_CONNECT_TIMEOUT_MS = 500;
const DESTROY_SOCKET_AFTER_MS = 200;

const backOff = (attempt: number): number => Math.min(50 * 2 ** attempt, RECONNECT_WITHIN_MS);

/**
 * Returns options that make every call settle in time and send no command twice. With the defaults of ioredis, commands
 * wait forever for a server that hangs, and are sent again after a lost connection.
 */
function boundedOptions(connectionName: string, callTimeoutMs: number) {
  const connectTimeoutMs = Math.max(MIN_CONNECT_TIMEOUT_MS, callTimeoutMs);
  return {
    connectionName,
    keyPrefix: '',
    commandTimeout: callTimeoutMs,
    connectTimeout: connectTimeoutMs,
    socketTimeout: 2 * connectTimeoutMs,
    disconnectTimeout: DESTROY_SOCKET_AFTER_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    enableAutoPipelining: false,
    // The check detects a missing password, which otherwise appears as a protocol error, and a demoted master.
    enableReadyCheck: true,
    maxLoadingRetryTime: RECONNECT_WITHIN_MS,
    // A demoted master keeps its connections open. Reconnect, so that DNS or Sentinel is asked again.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  } satisfies RedisOptions;
}

function singleOptions(connectionName: string, callTimeoutMs: number) {
  return {
    ...boundedOptions(connectionName, callTimeoutMs),
    sentinelCommandTimeout: Math.max(MIN_CONNECT_TIMEOUT_MS, callTimeoutMs),
    role: 'master',
    readOnly: false,
    enableOfflineQueue: true,
    lazyConnect: true,
    retryStrategy: backOff,
  } satisfies RedisOptions;
}

function clusterOptions(
  connectionName: string,
  callTimeoutMs: number,
  own: ClusterOptions = {},
): ClusterOptions {
  return {
    ...own,
    keyPrefix: '',
    lazyConnect: true,
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    scaleReads: 'master',
    // The check needs the right to CLUSTER INFO; without that right it silently retries forever. A cluster that is down
    // replies CLUSTERDOWN anyway.
    enableReadyCheck: false,
    clusterRetryStrategy: backOff,
    // With zero, the client never repeats a command that may have been executed, and reports at once that a cluster is down.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // They are merged here, because duplicate() of ioredis 5 replaces all of redisOptions, including the credentials.
    redisOptions: { ...own.redisOptions, ...boundedOptions(connectionName, callTimeoutMs) },
  };
}

/**
 * Chooses how to connect, from options that `checkRedisOptions` has accepted.
 *
 * @throws InvalidOptionError if the database is not a whole number from 0
 */
export function connectionProfile(given: RedisLeaseStoreOptions): ConnectionProfile {
  const { client, cluster, sentinels, url, options, name } = given;
  const connectionName = `snowflake:${given.namespace}`;
  if (cluster) {
    requireDatabaseZero('cluster.options', cluster.options);
    const connect: ConnectionMaker = (callTimeoutMs) =>
      new Cluster([...cluster.nodes], clusterOptions(connectionName, callTimeoutMs, cluster.options));
    const credentials = () => credentialsIn(cluster.options, cluster.nodes);
    return { database: 0, credentials, connect, isOnLoopback: areLoopbackHosts(cluster.nodes.map(hostOf)) };
  }
  if (client && isCluster(client)) {
    requireDatabaseZero('client.options', client.options);
    const connect: ConnectionMaker = (callTimeoutMs) =>
      client.duplicate([], clusterOptions(connectionName, callTimeoutMs, client.options));
    const credentials = () => credentialsIn(client.options, Reflect.get(client, 'startupNodes'));
    return { database: 0, credentials, connect, isOnLoopback: false };
  }
  // The template never connects. Duplicating it lets the store's bounds override the query string of the URL.
  const bySentinel = sentinels ? { sentinels: [...sentinels], name } : {};
  const all = { ...options, ...bySentinel, lazyConnect: true };
  const template = client ?? made(() => (url === undefined ? new Redis(all) : new Redis(url, all)));
  return {
    database: requireDatabase(client ? 'client.options.db' : 'db', template.options.db),
    credentials: () => (client ? credentialsOfClient(client.options) : credentialsIn(url, all)),
    connect: (callTimeoutMs) => template.duplicate(singleOptions(connectionName, callTimeoutMs)),
    isOnLoopback: areLoopbackHosts(
      template.options.sentinels?.map(hostOf) ?? [template.options.path ?? template.options.host],
    ),
  };
}

/** Returns the host of a node: a port is one of this machine, as ioredis takes it. */
function hostOf(node: ClusterNode | Partial<SentinelAddress>): unknown {
  if (typeof node === 'object') return node.host;
  return typeof node === 'number'
    ? 'localhost'
    : parsedServerUrl(node.includes('://') ? node : `redis://${node}`)?.hostname;
}

function made(make: () => Redis): Redis {
  try {
    return make();
  } catch (error) {
    const problem = `cannot be used by ioredis (${safeReason(error)})`;
    throw new InvalidOptionError('options', REDACTED, problem, 'Correct the options of ioredis.');
  }
}

/** The nodes of a cluster have only database 0, and refuse SELECT. */
function requireDatabaseZero(option: string, { redisOptions }: ClusterOptions = {}): void {
  const db: unknown = redisOptions && 'db' in redisOptions ? redisOptions.db : 0;
  if (db === undefined || db === 0) return;
  throw new InvalidOptionError(
    `${option}.redisOptions.db`,
    db,
    'is not a database of a Redis Cluster',
    'Omit it: a cluster has only database 0.',
  );
}

/** Doesn't compare classes: the app and the library may have different copies of ioredis. */
function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster;
}
