import { inspect } from 'node:util';
import { Cluster, Redis } from 'ioredis';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { redisLeaseStore } from './redis-lease-store.js';
import type { RedisLeaseStoreOptions } from './redis-options.js';

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

  it.each([undefined, null, 'redis://127.0.0.1'])('refuses %p instead of an object', (options) => {
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
