import type { ClusterOptions, RedisOptions } from 'ioredis';
import { Cluster, Redis } from 'ioredis';
import type { RedisLeaseStoreOptions } from './redis-options.js';

/** Makes a new connection that is bounded by `callTimeoutMs` and does not connect by itself. */
export type ConnectionMaker = (callTimeoutMs: number) => Redis | Cluster;

const RECONNECT_WITHIN_MS = 500;
/** Connecting may take longer than a call on a healthy connection: below this it would never come about with TLS. */
const MIN_CONNECT_TIMEOUT_MS = 500;
const DESTROY_SOCKET_AFTER_MS = 200;

const backOff = (attempt: number): number => Math.min(50 * 2 ** attempt, RECONNECT_WITHIN_MS);

/**
 * The options by which every call settles soon and no command is sent twice: with the defaults of ioredis a hung
 * server keeps commands waiting for ever, and commands of a lost connection are sent again.
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
    // Tells a missing password from the protocol error that a long command gets without one, and a master that was
    // demoted from the one that Sentinel means.
    enableReadyCheck: true,
    maxLoadingRetryTime: RECONNECT_WITHIN_MS,
    // A master that was demoted keeps its connections: leave it, so that name service or Sentinel is asked anew.
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
    clusterRetryStrategy: backOff,
    // Zero: never send a command again that may have been executed, and report a cluster that is down at once.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Merged here, because ioredis 5 replaces the whole of redisOptions, credentials included, on duplicate().
    redisOptions: { ...own.redisOptions, ...boundedOptions(connectionName, callTimeoutMs) },
  };
}

/** Chooses how connections are made, from options that `checkRedisOptions` has accepted. */
export function connectionMaker(given: RedisLeaseStoreOptions): ConnectionMaker {
  const { client, cluster, sentinels, url, options, name } = given;
  const connectionName = `snowflake:${given.namespace}`;
  if (cluster) {
    return (callTimeoutMs) =>
      new Cluster([...cluster.nodes], clusterOptions(connectionName, callTimeoutMs, cluster.options));
  }
  if (client) {
    return (callTimeoutMs) =>
      isCluster(client)
        ? client.duplicate([], clusterOptions(connectionName, callTimeoutMs, client.options))
        : client.duplicate(singleOptions(connectionName, callTimeoutMs));
  }
  // The template never connects. Duplicating it lets the bounds win over whatever the URL's query string says.
  const bySentinel = sentinels ? { sentinels: [...sentinels], name } : {};
  const all = { ...options, ...bySentinel, lazyConnect: true };
  const template = url === undefined ? new Redis(all) : new Redis(url, all);
  return (callTimeoutMs) => template.duplicate(singleOptions(connectionName, callTimeoutMs));
}

/** Not by class: the app may have another copy of ioredis than the library. */
function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster;
}
