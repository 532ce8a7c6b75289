import { Cluster, Redis } from 'ioredis';
import { inspect } from 'node:util';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import {
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
} from '../../core/errors/lease-errors.js';
import { credentialsIn } from '../../kit/credentials.js';
import { toRedisStoreError } from './redis-errors.js';
import { redisLeaseStore } from './redis-lease-store.js';
import type { RedisLeaseStoreOptions } from './redis-options.js';
import { CLUSTER_RIGHT, leastRights } from './registry-key.js';
import { toLeaseReply, toReleaseReply, toReplicationProof, toSnapshot } from './replies.js';
import { serverRefusal } from './server-refusals.js';

const url = 'redis://127.0.0.1:1';
const sentinels = [{ host: '127.0.0.1', port: 1 }];
const nodes = [{ host: '127.0.0.1', port: 1 }];

describe('the options of redisLeaseStore [promise: secrets]', () => {
  it.each<[string, Partial<RedisLeaseStoreOptions>]>([
    ['a URL', { url }],
    ['a URL with TLS', { url: 'rediss://user:pass%40word@redis.example:6380/2' }],
    ['a Unix socket', { url: '/run/redis.sock' }],
    ['a URL and options', { url, options: { tls: {} } }],
    ['options', { options: { host: '127.0.0.1', port: 1 } }],
    ['Sentinels', { sentinels, name: 'main' }],
    ['Sentinels with credentials', { sentinels, name: 'main', options: { password: 'secret' } }],
    ['a cluster', { cluster: { nodes } }],
    ["the app's client", { client: new Redis({ lazyConnect: true }) }],
    ["the app's cluster client", { client: new Cluster(nodes, { lazyConnect: true }) }],
    ['the longest namespace', { url, namespace: 'a'.repeat(128) }],
    ['a namespace of all characters', { url, namespace: 'Shop_1.eu-west:orders' }],
    ['minReplicas', { url, minReplicas: 1 }],
    ['a server that the operator vouches for', { url, assumeNoLostWrites: true }],
    ['an undefined URL from a missing variable, with Sentinels', { url: undefined, sentinels, name: 'main' }],
    ['the number of a database', { url: `${url}/3` }],
    ['a password as a parameter', { url: `${url}?password=p@ss` }],
    [
      'nodes as URLs, with and without a protocol',
      { cluster: { nodes: ['redis://redis-1:7000', 'redis-2:7000', 'redis-3'] } },
    ],
    ['the number of a port for a node on this machine', { cluster: { nodes: [7000] } }],
    [
      'a cluster client that names its only database',
      { client: new Cluster(nodes, { lazyConnect: true, redisOptions: { db: 0 } as object }) },
    ],
  ])('accepts the options %s', (_, options) => {
    const store = redisLeaseStore({ namespace: 'shop', ...options });
    expect(store).toMatchObject({
      renewable: true,
      description: `redis namespace "${options.namespace ?? 'shop'}"`,
    });
  });

  it.each<[string, string, object]>([
    ['an empty namespace', 'namespace', { url, namespace: '' }],
    ['a namespace with braces', 'namespace', { url, namespace: '{shop}' }],
    ['a namespace with a space', 'namespace', { url, namespace: 'my shop' }],
    ['a namespace that is too long', 'namespace', { url, namespace: 'a'.repeat(129) }],
    ['no namespace', 'namespace', { url, namespace: undefined }],
    ['a negative minReplicas', 'minReplicas', { url, minReplicas: -1 }],
    ['a broken minReplicas', 'minReplicas', { url, minReplicas: 0.5 }],
    ['the name of a server as an assertion', 'assumeNoLostWrites', { url, assumeNoLostWrites: 'redict' }],
    ['no way to connect', 'url', {}],
    ['two ways to connect', 'cluster', { url, cluster: { nodes } }],
    ['a URL together with a client', 'client', { url, client: new Redis({ lazyConnect: true }) }],
    ['options together with a client', 'options', { client: new Redis({ lazyConnect: true }), options: {} }],
    ['options together with a cluster', 'options', { cluster: { nodes }, options: {} }],
    ['a URL of something else', 'url', { url: 'http://127.0.0.1' }],
    ['a host instead of a URL', 'url', { url: 'localhost' }],
    ['a client of another library', 'client', { client: { sendCommand: () => undefined } }],
    ['Sentinels without the name of the master', 'name', { sentinels }],
    ['a name without Sentinels', 'sentinels', { name: 'main', url }],
    ['no Sentinels', 'sentinels', { sentinels: [], name: 'main' }],
    ['no nodes', 'cluster.nodes', { cluster: { nodes: [] } }],
    ['a misspelt option', 'minReplica', { url, minReplica: 1 }],
    ['an undefined URL from a missing variable', 'url', { url: undefined, options: { username: 'app' } }],
    ['a blank URL', 'url', { url: ' ' }],
    ['a URL with a space', 'url', { url: ` ${url}` }],
    ['a URL without a host', 'url', { url: 'redis://' }],
    ['a URL whose password is half encoded', 'url', { url: 'redis://app:50%@127.0.0.1' }],
    ['a URL whose password begins with digits and #', 'url', { url: 'redis://app:1#x@127.0.0.1' }],
    ['a URL whose password begins with digits and ?', 'url', { url: 'redis://app:1?x@127.0.0.1' }],
    ['a URL whose password has ? and =', 'url', { url: 'redis://pass?word=x@127.0.0.1' }],
    ['options that ioredis refuses', 'options', { url, options: { protocol: 2, replyMapping: 'resp3' } }],
    ['a URL whose database is not a number', 'url', { url: `${url}/two` }],
    ['a URL whose db parameter is not a number', 'url', { url: `${url}?db=two` }],
    ['options without a host', 'options.host', { options: { host: undefined, db: 1 } }],
    ['options that are text', 'options', { options: url }],
    ['a database that is not a number', 'db', { options: { host: '127.0.0.1', db: Number.NaN } }],
    ['a fractional database number', 'db', { options: { host: '127.0.0.1', db: 1.5 } }],
    ['a negative database', 'db', { options: { host: '127.0.0.1', db: -1 } }],
    [
      'a client with a fractional database number',
      'client.options.db',
      { client: new Redis({ lazyConnect: true, db: 1.5 }) },
    ],
    [
      'a database of a cluster',
      'cluster.options.redisOptions.db',
      { cluster: { nodes, options: { redisOptions: { db: 1 } } } },
    ],
    ['a client that is null', 'client', { client: null }],
    ['a cluster that is null', 'cluster.nodes', { cluster: null }],
    ['a node without a host', 'cluster.nodes', { cluster: { nodes: [{ port: 1 }] } }],
    ['Sentinels that are text', 'sentinels', { sentinels: 'sentinel:1', name: 'main' }],
    ['a Sentinel without a host', 'sentinels', { sentinels: [{ host: undefined, port: 1 }], name: 'main' }],
    ['an empty name of the master', 'name', { sentinels, name: '' }],
    ['a node that is a URL without a host', 'cluster.nodes', { cluster: { nodes: ['redis://:7000'] } }],
    ['a node that is an empty URL', 'cluster.nodes', { cluster: { nodes: ['redis://'] } }],
    ['a node that is a port as text', 'cluster.nodes', { cluster: { nodes: ['7000'] } }],
    ['a node that is not a number', 'cluster.nodes', { cluster: { nodes: [Number.NaN] } }],
    ['a path together with a URL', 'options.path', { url, options: { path: '/run/redis.sock' } }],
    ['a path in a URL with a host', 'url', { url: `${url}?path=/run/redis.sock` }],
    ['Sentinels in the options together with a URL', 'options.sentinels', { url, options: { sentinels } }],
    [
      'a client of node-redis',
      'client',
      { client: { duplicate: () => undefined, sendCommand: () => undefined } },
    ],
    [
      'a database of a cluster client',
      'client.options.redisOptions.db',
      { client: new Cluster(nodes, { lazyConnect: true, redisOptions: { db: 1 } as object }) },
    ],
  ])('refuses %s and names the option', (_, option, options) => {
    const call = () => redisLeaseStore({ namespace: 'shop', ...options } as RedisLeaseStoreOptions);
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
  });

  it.each([undefined, null, 'redis://127.0.0.1'])('refuses %o instead of an object', (options) => {
    const call = () => redisLeaseStore(options as unknown as RedisLeaseStoreOptions);
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'options' }));
  });

  it.each<[string, object]>([
    ['a URL', { url: 'http://user:hunter2@host' }],
    ['a URL with a space', { url: ' redis://user:hunter2@host' }],
    ['a list of URLs', { url: ['user:hunter2@host'] }],
    ['Sentinels', { sentinels: ['user:hunter2@host'], name: 'main' }],
    ['a host', { options: { host: ['user:hunter2@host'] } }],
    ['options', { options: 'redis://user:hunter2@host' }],
    ['options together with a cluster', { cluster: { nodes }, options: { password: 'hunter2' } }],
    ['a client', { client: { password: 'hunter2' } }],
    ['nodes', { cluster: { nodes: [{ password: 'hunter2' }] } }],
  ])('shows no password of the options: %s', (_, options) => {
    let thrown: unknown;
    try {
      redisLeaseStore({ namespace: 'shop', ...options } as RedisLeaseStoreOptions);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(InvalidOptionError);
    expect(inspect(thrown, { depth: Infinity, showHidden: true })).not.toContain('hunter2');
  });
});

const DESCRIPTION = 'redis namespace "shop"';
const REJECTED = expect.objectContaining({
  code: 'SNOWFLAKE_STORE_REJECTED',
  message: expect.stringContaining(DESCRIPTION),
});

describe('replies of the scripts', () => {
  it.each([
    [
      ['KEPT', '5', '65', 'n@4~1~a'],
      { outcome: 'kept', storeNowMs: 5, untilMs: 65, fencingToken: 'n@4~1~a' },
    ],
    [['COPIED', '5'], { outcome: 'copied', storeNowMs: 5 }],
    [
      ['NEW', '5', '17', 'n@4', '4', '65'],
      { outcome: 'new', storeNowMs: 5, workerId: 17, fencingToken: 'n@4', fromMs: 4, untilMs: 65 },
    ],
    [['WAIT', '5', '65', 'empty'], { outcome: 'wait', storeNowMs: 5, waitMs: 65, reason: 'empty' }],
    [['WAIT', '5', '65', 'history'], { outcome: 'wait', storeNowMs: 5, waitMs: 65, reason: 'history' }],
    [['FULL', '5', '60'], { outcome: 'full', storeNowMs: 5, nextFreeInMs: 60 }],
    [['ALONE', '5', '0'], { outcome: 'alone', storeNowMs: 5, replicas: 0 }],
    [['LAYOUT', 'other'], { outcome: 'layout', storedLayout: 'other' }],
    [['CORRUPT', 'grantsAfter', 'x'], { outcome: 'corrupt', field: 'grantsAfter', stored: 'x' }],
  ])('reads the reply to lease: %j', (reply, expected) => {
    expect(toLeaseReply(reply, DESCRIPTION)).toEqual(expected);
  });

  it.each([
    [[]],
    [['OTHER']],
    [['KEPT']],
    [['KEPT', '5', 'x']],
    [['KEPT', '5', '65']],
    [['COPIED']],
    [['NEW', '5', '17']],
    [['HIDDEN', 'run_id']],
  ])('refuses the reply to lease: %j', (reply) => {
    expect(() => toLeaseReply(reply, DESCRIPTION)).toThrow(REJECTED);
  });

  it('reads the reply to a proof of replication, and refuses others', () => {
    const proof = { storeNowMs: 5, historyId: 'r', offset: '9007199254740993' };
    expect(toReplicationProof(['PROOF', '5', 'r', '9007199254740993'], DESCRIPTION)).toEqual(proof);
    for (const reply of [['HIDDEN', 'run_id'], ['PROOF', '5', 'r'], ['OTHER']]) {
      expect(() => toReplicationProof(reply, DESCRIPTION)).toThrow(REJECTED);
    }
  });

  it('reads the reply to release, and refuses others', () => {
    expect(toReleaseReply(['RELEASED'], DESCRIPTION)).toEqual({ outcome: 'released' });
    expect(toReleaseReply(['GONE'], DESCRIPTION)).toEqual({ outcome: 'gone' });
    expect(() => toReleaseReply(['OTHER'], DESCRIPTION)).toThrow(REJECTED);
    const corrupt = expect.objectContaining({ code: 'SNOWFLAKE_STORE_CORRUPT', field: '3', stored: 'x' });
    expect(() => toReleaseReply(['CORRUPT', '3', 'x'], DESCRIPTION)).toThrow(corrupt);
  });

  it('reads the reply to inspect, and refuses others', () => {
    const rows = [{ workerId: 3, reservedUntilMs: 9, fencingToken: 'n@4' }];
    expect(toSnapshot(['5', 'layout', 'l', '3', '9 n@4'], DESCRIPTION)).toEqual({
      storeNowMs: 5,
      layout: 'l',
      rows,
    });
    expect(() => toSnapshot([], DESCRIPTION)).toThrow(REJECTED);
    expect(() => toSnapshot(['5', 'layout'], DESCRIPTION)).toThrow(REJECTED);
  });
});

describe('a reply that refuses the server', () => {
  it.each([
    [['SERVER', 'dragonfly'], /runs on Dragonfly, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'garnet'], /runs on Garnet, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'kvrocks'], /runs on Apache Kvrocks, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'upstash'], /runs on Upstash, which .* Use Redis, Valkey or sqlLeaseStore/],
    [['SERVER', 'redict'], /runs on "redict".*assumeNoLostWrites: true/],
    [['SERVER', 'constructor'], /runs on "constructor".*assumeNoLostWrites: true/],
    [['HIDDEN', 'run_id'], /doesn't show run_id in INFO server.*Connect to Redis directly/],
    [['HIDDEN', 'master_replid'], /doesn't show master_replid in INFO replication/],
    [['HIDDEN', 'sync_full'], /doesn't show sync_full in INFO stats/],
    [['LOSSY', 'appendonly', 'no'], /assumeNoLostWrites.*appendonly is no.*appendfsync always/],
    [['LOSSY', 'maxmemory-policy', 'allkeys-lru'], /assumeNoLostWrites.*allkeys-lru.*noeviction/],
    [['ROLE', 'active-replica'], /has the role "active-replica".*On KeyDB, set active-replica no/],
  ])('makes a permanent error that names the remedy: %j', (reply, message) => {
    const error = serverRefusal(reply, DESCRIPTION);
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED', retryable: false });
    expect(error?.message).toMatch(message);
    expect(error?.message).toContain(DESCRIPTION);
  });

  it('offers no way to vouch for a server that is known to be unsound', () => {
    expect(serverRefusal(['SERVER', 'dragonfly'], DESCRIPTION)?.message).not.toContain('assumeNoLostWrites');
  });

  it.each([[['NEW', '1']], [['OTHER']], [[]]])('assumes no refusal for another reply: %j', (reply) => {
    expect(serverRefusal(reply, DESCRIPTION)).toBeUndefined();
  });
});

const STORE = { description: 'redis namespace "shop"', namespace: 'shop' };
const RIGHTS = leastRights('shop');

describe('the error of a call', () => {
  it.each([
    ['WRONGPASS invalid username-password pair or user is disabled.', 'password'],
    ['NOAUTH Authentication required.', 'password'],
    ['ERR invalid password', 'password'],
    ['ERR Protocol error: unauthenticated multibulk length', 'password'],
    ["NOPERM this user has no permissions to run the 'eval' command", RIGHTS],
    [
      "ERR The user executing the script can't run this command or subcommand script: 1, on @user_script:3.",
      RIGHTS,
    ],
    ["NOPERM User app has no permissions to run the 'cluster|slots' command", CLUSTER_RIGHT],
    ['ERR Error running script: @user_script:4: This Redis command is not allowed from scripts', 'INFO'],
    ['ERR This Redis command is not allowed from script script: 1, on @user_script:4.', 'Redis Enterprise'],
    ["ERR unknown command 'EVAL', with args beginning with:", 'Lua'],
    ['Unknown RESP type 72 "H". Please report this.', 'another kind of server'],
    ['MOVED 4711 127.0.0.1:7001', 'option cluster'],
    ['ASK 4711 127.0.0.1:7001', 'option cluster'],
    ['ERR This instance has cluster support disabled', 'option url'],
  ])('takes a reply for a permanent refusal: %s', (message, remedy) => {
    const cause = new Error(message);
    const error = toRedisStoreError(STORE, cause);
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error).toMatchObject({ cause, retryable: false, message: expect.stringContaining(remedy) });
    expect(error.message).toContain(STORE.description);
  });

  it.each([
    'READONLY this server is a replica',
    'LOADING Redis is loading the dataset in memory',
    'CLUSTERDOWN Hash slot not served',
    'NOREPLICAS Not enough good replicas to write.',
    "OOM command not allowed when used memory > 'maxmemory'.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'BUSY Redis is busy running a script.',
    'MISCONF Redis is configured to save RDB snapshots',
    'ERR max number of clients reached',
    'Too many Cluster redirections. Last error: ReplyError: MOVED 4711 127.0.0.1:7001',
    'Command timed out',
    'Connection is closed.',
  ])('takes an error for retryable: %s', (message) => {
    const cause = new Error(message);
    const error = toRedisStoreError(STORE, cause);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ cause, retryable: true });
    expect(error.message).toBe(`${STORE.description} is unavailable: ${message.replace(/\.$/, '')}`);
  });

  it('reports a corrupt registry when the key has another type', () => {
    const message = 'WRONGTYPE Operation against a key holding the wrong kind of value';
    expect(toRedisStoreError(STORE, new Error(message))).toBeInstanceOf(StoreCorruptError);
  });

  it('explains a failed call by what the connection reported', () => {
    const giveUp = new Error('Reached the max retries per request limit (which is 0).');
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(toRedisStoreError(STORE, giveUp, refused).message).toBe(
      `${STORE.description} is unavailable: ECONNREFUSED`,
    );
    const wrongPassword = new Error('WRONGPASS invalid username-password pair');
    expect(toRedisStoreError(STORE, giveUp, wrongPassword)).toBeInstanceOf(StoreRejectedError);
  });

  it('explains a failed call by the last node when no node of a cluster answers', () => {
    const lastNodeError = new Error('NOAUTH Authentication required.');
    const failed = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError });
    expect(toRedisStoreError(STORE, failed)).toBeInstanceOf(StoreRejectedError);
  });

  it('names the user, and never a password', () => {
    const password = 'hunter2';
    const credentials = credentialsIn({ username: 'app', password, sentinelUsername: 'watch' });
    const told = (message: string): string => {
      const failed = Object.assign(new Error(message), { command: { args: ['AUTH', 'app', password] } });
      const error = toRedisStoreError(STORE, failed, undefined, credentials);
      expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(password);
      return error.message;
    };
    expect(told('WRONGPASS invalid username-password pair')).toEqual(
      expect.stringContaining(
        'refuses this client (user "app"): WRONGPASS invalid username-password pair. Correct',
      ),
    );
    expect(told(`ERR unknown command 'AUTH', with args beginning with: 'app' '${password}' `)).toContain(
      'connect directly to Redis 5 or later',
    );
    expect(told(`All sentinels are unreachable. Last error: WRONGPASS invalid`)).toMatch(
      /\(user "watch"\): .* Correct sentinelUsername and sentinelPassword in options\.$/,
    );
    expect(told(`the server says ${password}`)).toBe(
      `${STORE.description} is unavailable: the server says ***`,
    );
  });

  it('makes an error of anything that can be thrown', () => {
    expect(toRedisStoreError(STORE, 'text').message).toBe(`${STORE.description} is unavailable: text`);
  });
});
