import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions, SentinelAddress } from 'ioredis';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { redact, REDACTED } from '../../core/errors/show-value.js';
import {
  checkedBy,
  checkedOptions,
  fitting,
  flag,
  type OptionRules,
  unchecked,
} from '../../core/options/option-rule.js';
import { NAMESPACE } from '../namespace.js';
import { isRedisUrl, PLACES, requireRedisUrl } from './redis-url.js';

/**
 * Options of `redisLeaseStore`: a namespace, and exactly one way to reach Redis: `url`, `options`, `client`, `sentinels`
 * with `name`, or `cluster`. The store always opens its own connection with its own timeouts, and names it
 * `snowflake:<namespace>` in `CLIENT LIST`.
 */
export interface RedisLeaseStoreOptions {
  /**
   * Name of the ID space, the same for all processes whose IDs must differ.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`.
   */
  readonly namespace: string;

  /**
   * Address of a single server.
   * Bounds: a `redis://` or `rediss://` URL, or the path of a Unix socket.
   *
   * @defaultValue none
   */
  readonly url?: string;

  /**
   * Options of ioredis for a single server, or in addition to {@link url} or {@link sentinels}.
   *
   * The store sets its own timeouts, retries, offline queue and an empty `keyPrefix`.
   *
   * @defaultValue none
   */
  readonly options?: RedisOptions;

  /**
   * The app's own client. The store duplicates it, without its `keyPrefix`.
   *
   * @defaultValue none
   */
  readonly client?: Redis | Cluster;

  /**
   * Addresses of the Sentinels. Credentials go into {@link options}.
   * Bounds: together with {@link name}.
   *
   * @defaultValue none
   */
  readonly sentinels?: readonly Partial<SentinelAddress>[];

  /**
   * Name of the master that the {@link sentinels} watch.
   * Bounds: together with {@link sentinels}.
   *
   * @defaultValue none
   */
  readonly name?: string;

  /**
   * Some nodes of a Redis Cluster, and options of ioredis.
   * Bounds: at least one node.
   *
   * @defaultValue none
   */
  readonly cluster?: { readonly nodes: readonly ClusterNode[]; readonly options?: ClusterOptions };

  /**
   * How many replicas must follow the master before it grants leases.
   * Bounds: a whole number from 0.
   *
   * Use 1 with Sentinel and three servers. Then `callTimeoutMs` must be at least 1,400, and `maxSkewMs` at least 2,800.
   *
   * @defaultValue `0`
   */
  readonly minReplicas?: number;

  /**
   * Asserts that this server never loses an acknowledged write, and that two servers never report `role:master` at once.
   *
   * Use it for a server that resembles Redis under another name, which the store refuses otherwise. If the assertion is wrong, IDs repeat.
   * The server must write each change to disk (`appendonly` and `appendfsync always`), and its eviction policy must not drop the leases.
   *
   * @defaultValue `false`
   */
  readonly assumeNoLostWrites?: boolean;
}

const MAX_PORT = 65_535;
const WAYS = ['url', 'client', 'sentinels', 'cluster'] as const;
const ONE_WAY = 'Give exactly one of url, options, client, sentinels (with name) and cluster.';

/** What goes together is checked afterwards. */
const REDIS_OPTIONS = {
  namespace: NAMESPACE,
  url: checkedBy((option, url) => requireRedisUrl(url, option)).optional(),
  options: unchecked<RedisOptions | undefined>(),
  client: checkedBy(requireClient).optional(),
  sentinels: unchecked<RedisLeaseStoreOptions['sentinels']>(),
  name: unchecked<string | undefined>(),
  cluster: checkedBy(requireCluster).optional(),
  minReplicas: fitting(
    (count): count is number => Number.isSafeInteger(count) && Number(count) >= 0,
    'must be a whole number from 0',
    'Use 0 for a single server, 1 for a master with two replicas under Sentinel.',
  ).or(0),
  assumeNoLostWrites: flag().or(false),
} satisfies OptionRules<RedisLeaseStoreOptions>;

/** Written by hand: what the compiler prints for the types of ioredis 6 doesn't compile with ioredis 5. */
export type CheckedRedisOptions = RedisLeaseStoreOptions &
  Required<Pick<RedisLeaseStoreOptions, 'minReplicas' | 'assumeNoLostWrites'>>;

/**
 * Fills in the defaults. Refuses options that cannot work, and options that ioredis would complete: without a host it uses
 * localhost, so a process with a missing environment variable would lease from a different Redis than the others.
 *
 * @throws InvalidOptionError that names the option, its value (unless it may contain a password) and the remedy
 */
export function checkRedisOptions(options: RedisLeaseStoreOptions): CheckedRedisOptions {
  const checked = checkedOptions('options', options, REDIS_OPTIONS);
  checkOneWay(options);
  checkOptions(options);
  checkPlaceOnce(options);
  checkSentinels(options);
  return checked;
}

function checkOneWay(options: RedisLeaseStoreOptions): void {
  const [first, second] = WAYS.filter((way) => options[way] !== undefined);
  if (first === undefined && ('url' in options || options.options === undefined)) {
    const problem = 'is missing, and so is every other way to reach Redis';
    throw new InvalidOptionError('url', undefined, problem, ONE_WAY);
  }
  if (second !== undefined) {
    throw new InvalidOptionError(second, REDACTED, `conflicts with ${first}`, ONE_WAY);
  }
  if (options.options !== undefined && (first === 'client' || first === 'cluster')) {
    const remedy = first === 'cluster' ? 'Put them into cluster.options.' : 'Set them on the client.';
    throw new InvalidOptionError('options', REDACTED, `conflicts with ${first}`, remedy);
  }
}

function checkOptions({ options, url, sentinels }: RedisLeaseStoreOptions): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) {
    throw new InvalidOptionError('options', REDACTED, 'is not an object', 'Pass RedisOptions of ioredis.');
  }
  if (url !== undefined || sentinels !== undefined || isText(options.host) || isText(options.path)) return;
  const remedy = "Set the address of Redis, e.g. host: 'localhost'. Is an environment variable missing?";
  throw new InvalidOptionError(
    'options.host',
    redact(options.host),
    'is missing, and so is options.path',
    remedy,
  );
}

/** A second address in the options would make ioredis ignore the first. */
function checkPlaceOnce({ options, url, sentinels }: RedisLeaseStoreOptions): void {
  const way = url === undefined ? 'sentinels' : 'url';
  if (!options || (url === undefined && sentinels === undefined)) return;
  const place = PLACES.find((name) => options[name] !== undefined);
  if (place === undefined) return;
  throw new InvalidOptionError(`options.${place}`, REDACTED, `conflicts with ${way}`, ONE_WAY);
}

function requireClient(option: string, client: unknown): Redis | Cluster {
  if (typeof client === 'object' && client !== null && 'duplicate' in client && 'defineCommand' in client)
    return client as Redis | Cluster;
  const remedy = 'Pass a Redis or Cluster object of ioredis. With another Redis library, use url.';
  throw new InvalidOptionError(option, REDACTED, 'is not an ioredis client', remedy);
}

function checkSentinels({ sentinels, name }: RedisLeaseStoreOptions): void {
  if (sentinels === undefined && name === undefined) return;
  const remedy = "Give both, e.g. sentinels: [{ host: 'sentinel-1', port: 26379 }], name: 'mymaster'.";
  if (!isText(name)) throw new InvalidOptionError('name', name, 'is missing', remedy);
  if (Array.isArray(sentinels) && sentinels.length > 0 && sentinels.every(hasHost)) return;
  throw new InvalidOptionError('sentinels', redact(sentinels), 'must be a list of hosts', remedy);
}

function requireCluster(option: string, cluster: unknown): NonNullable<RedisLeaseStoreOptions['cluster']> {
  const given = cluster as RedisLeaseStoreOptions['cluster'] | null;
  const nodes: unknown = given?.nodes;
  if (given && Array.isArray(nodes) && nodes.length > 0 && nodes.every(isNode)) return given;
  const remedy = "Name some nodes, e.g. nodes: [{ host: 'redis-1', port: 6379 }].";
  throw new InvalidOptionError(`${option}.nodes`, REDACTED, 'must be a list of hosts', remedy);
}

/** ioredis also accepts a port number, which means localhost, as does a URL without a host. */
function isNode(node: unknown): boolean {
  if (typeof node === 'number') return Number.isInteger(node) && node > 0 && node <= MAX_PORT;
  return isText(node) ? isNodeUrl(node) : hasHost(node);
}

/** Accepts a URL with or without `redis://`, as ioredis does: `redis-1:6379` is valid. */
function isNodeUrl(node: string): boolean {
  const url = node.includes('://') ? node : `redis://${node}`;
  return !/^\d+$/.test(node) && isRedisUrl(url);
}

function hasHost(address: unknown): boolean {
  return typeof address === 'object' && address !== null && 'host' in address && isText(address.host);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
