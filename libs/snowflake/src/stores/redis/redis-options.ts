import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions, SentinelAddress } from 'ioredis';
import { InvalidOptionError } from '../../core/errors.js';

/**
 * Options of `redisLeaseStore`: a namespace, and exactly one way of reaching Redis: `url`, `options`, `client`,
 * `sentinels` with `name`, or `cluster`. However Redis is reached, the store makes a connection of its own, with
 * bounds of its own on every wait, and names it `snowflake:<namespace>` in `CLIENT LIST`.
 */
export interface RedisLeaseStoreOptions {
  /**
   * Name of the ID space: all processes whose IDs must differ share it, and the bit layout. 1 to 128 characters of
   * `A-Z a-z 0-9 _ . : -`. Its leases live in the hash `snowflake:{<namespace>}`.
   */
  readonly namespace: string;

  /** `redis://` or `rediss://` URL, or the path of a Unix socket. {@link options} may add e.g. `tls`. */
  readonly url?: string;

  /**
   * ioredis options of a single server, or in addition to {@link url} or {@link sentinels}. What bounds and repeats
   * calls (timeouts, retries, offline queue) is the store's own, and so is the empty `keyPrefix`.
   */
  readonly options?: RedisOptions;

  /**
   * The app's own client, single or cluster. It is duplicated, never shared: a blocking command on it would delay
   * renewals. Its `keyPrefix` does not apply.
   */
  readonly client?: Redis | Cluster;

  /** Addresses of the Sentinels; needs {@link name}. Credentials go into {@link options}. */
  readonly sentinels?: readonly Partial<SentinelAddress>[];

  /** Name of the master that the {@link sentinels} watch. */
  readonly name?: string;

  /** Redis Cluster: some of its nodes, and ioredis options. */
  readonly cluster?: { readonly nodes: readonly ClusterNode[]; readonly options?: ClusterOptions };

  /**
   * How many replicas must follow the master, with a lag within `maxSkewMs`, for it to grant leases: a master that
   * lost its replicas may have been deposed. Whole number from 0. Default 0; 1 with Sentinel and three servers.
   */
  readonly minReplicas?: number;
}

const WAYS = ['url', 'client', 'sentinels', 'cluster'] as const;
const ONE_WAY = 'Give exactly one of url, options, client, sentinels (with name) and cluster.';

/**
 * Refuses options that cannot work.
 *
 * @throws InvalidOptionError names the option, its value and the remedy
 */
export function checkRedisOptions(options: RedisLeaseStoreOptions): void {
  const { namespace, minReplicas = 0 } = options;
  if (typeof namespace !== 'string' || !/^[A-Za-z0-9_.:-]{1,128}$/.test(namespace)) {
    const problem = 'must have 1 to 128 characters of A-Z a-z 0-9 _ . : -';
    throw new InvalidOptionError('namespace', namespace, problem, "Choose a short name, e.g. 'shop'.");
  }
  if (!Number.isSafeInteger(minReplicas) || minReplicas < 0) {
    const remedy = 'Use 0 for a single server, 1 for a master with two replicas under Sentinel.';
    throw new InvalidOptionError('minReplicas', minReplicas, 'must be a whole number from 0', remedy);
  }
  checkOneWay(options);
  checkWay(options);
}

function checkOneWay(options: RedisLeaseStoreOptions): void {
  const ways = WAYS.filter((way) => options[way] !== undefined);
  const [first, second] = ways;
  if (first === undefined && options.options === undefined) {
    throw new InvalidOptionError(
      'url',
      undefined,
      'is missing and so is every other way to reach Redis',
      ONE_WAY,
    );
  }
  if (second !== undefined) {
    throw new InvalidOptionError(second, options[second], `is given beside ${first}`, ONE_WAY);
  }
  if (options.options !== undefined && (first === 'client' || first === 'cluster')) {
    const remedy = first === 'cluster' ? 'Put them into cluster.options.' : 'Set them on the client.';
    throw new InvalidOptionError('options', options.options, `is given beside ${first}`, remedy);
  }
}

function checkWay({ url, client, sentinels, name, cluster }: RedisLeaseStoreOptions): void {
  if (url !== undefined && !isRedisUrl(url)) {
    // The value is left out: it may contain a password.
    const remedy =
      'Write redis://host:6379 or rediss://user:password@host:6379/0 (percent-encode the password).';
    throw new InvalidOptionError('url', typeof url, 'is no redis:// or rediss:// URL', remedy);
  }
  if (client !== undefined && typeof client.duplicate !== 'function') {
    const remedy = 'Pass a Redis or Cluster object of ioredis; for another Redis library use url.';
    throw new InvalidOptionError('client', client, 'is no ioredis client', remedy);
  }
  if ((sentinels === undefined) !== (name === undefined) || sentinels?.length === 0) {
    const remedy = "Give both, e.g. sentinels: [{ host: 'sentinel-1', port: 26379 }], name: 'mymaster'.";
    const missing = name === undefined ? 'name' : 'sentinels';
    throw new InvalidOptionError(missing, missing === 'name' ? name : sentinels, 'is missing', remedy);
  }
  if (cluster !== undefined && !(cluster.nodes?.length > 0)) {
    const remedy = "Name some nodes, e.g. nodes: [{ host: 'redis-1', port: 6379 }].";
    throw new InvalidOptionError('cluster.nodes', cluster.nodes, 'is empty', remedy);
  }
}

function isRedisUrl(url: unknown): url is string {
  if (typeof url !== 'string') return false;
  if (url.startsWith('/')) return true;
  return URL.canParse(url) && ['redis:', 'rediss:'].includes(new URL(url).protocol);
}
