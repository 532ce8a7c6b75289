import { Cluster, Redis } from 'ioredis';
import { redisLeaseStore } from './redis-lease-store.js';
import type { RedisLeaseStoreOptions } from './redis-options.js';

const url = 'redis://127.0.0.1:1';
const sentinels = [{ host: '127.0.0.1', port: 1 }];
const nodes = [{ host: '127.0.0.1', port: 1 }];

describe('the options of redisLeaseStore', () => {
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
  ])('accept %s', (_, options) => {
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
    ['no way of connecting', 'url', {}],
    ['two ways of connecting', 'cluster', { url, cluster: { nodes } }],
    ['a URL beside a client', 'client', { url, client: new Redis({ lazyConnect: true }) }],
    ['options beside a client', 'options', { client: new Redis({ lazyConnect: true }), options: {} }],
    ['options beside a cluster', 'options', { cluster: { nodes }, options: {} }],
    ['a URL of something else', 'url', { url: 'http://127.0.0.1' }],
    ['a host that is no URL', 'url', { url: 'localhost' }],
    ['a client of another library', 'client', { client: { sendCommand: () => undefined } }],
    ['Sentinels without the name of the master', 'name', { sentinels }],
    ['a name without Sentinels', 'sentinels', { name: 'main', url }],
    ['no Sentinels', 'sentinels', { sentinels: [], name: 'main' }],
    ['no nodes', 'cluster.nodes', { cluster: { nodes: [] } }],
  ])('refuse %s and name the option', (_, option, options) => {
    const call = () => redisLeaseStore({ namespace: 'shop', ...options } as RedisLeaseStoreOptions);
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
  });

  it('never show a password', () => {
    const call = () => redisLeaseStore({ namespace: 'shop', url: 'http://user:secret@host' });
    expect(call).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }));
  });
});
