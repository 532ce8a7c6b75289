import { etcdLeaseStore } from '../../../snowflake-coordination/src/etcd/etcd-lease-store.js';
import { redisLeaseStore } from '../stores/redis/redis-lease-store.js';
import { sqlLeaseStore } from '../stores/sql/sql-lease-store.js';
import { areLoopbackHosts, isLoopbackHost } from './loopback.js';

const namespace = 'shop';

describe('a host of this machine', () => {
  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'db.localhost',
    '127.0.0.1',
    '127.1.2.3',
    '::1',
    '[::1]',
    '/run/redis.sock',
  ])('can be %s', (host) => expect(isLoopbackHost(host)).toBe(true));

  it.each([
    'redis',
    'localhost.example.com',
    '127.0.0.1.example.com',
    '10.0.0.1',
    '0.0.0.0',
    '',
    undefined,
    null,
    6379,
  ])('is not %s', (host) => expect(isLoopbackHost(host)).toBe(false));

  it('is not known without any host, and not with one elsewhere', () => {
    expect(areLoopbackHosts([])).toBe(false);
    expect(areLoopbackHosts(['localhost', 'redis-2'])).toBe(false);
  });
});

describe('a store on this machine', () => {
  it.each([
    ['Redis by URL', redisLeaseStore({ url: 'redis://user:secret@localhost:6379/1', namespace }), true],
    ['Redis by a socket', redisLeaseStore({ url: '/run/redis.sock', namespace }), true],
    ['Redis by options', redisLeaseStore({ options: { host: '127.0.0.1' }, namespace }), true],
    ['Redis elsewhere', redisLeaseStore({ url: 'redis://redis:6379', namespace }), false],
    [
      'a Sentinel elsewhere',
      redisLeaseStore({ sentinels: [{ host: 'sentinel' }], name: 'main', namespace }),
      false,
    ],
    ['a Sentinel here', redisLeaseStore({ sentinels: [{ host: '::1' }], name: 'main', namespace }), true],
    ['a Cluster here', redisLeaseStore({ cluster: { nodes: [7000, 'localhost:7001'] }, namespace }), true],
    [
      'a Cluster in part',
      redisLeaseStore({ cluster: { nodes: [7000, { host: 'redis-2' }] }, namespace }),
      false,
    ],
    ['PostgreSQL here', sqlLeaseStore({ url: 'postgres://user:secret@localhost/shop', namespace }), true],
    [
      'PostgreSQL by a socket',
      sqlLeaseStore({ url: 'postgres://user@/shop?host=/run/postgresql', namespace }),
      true,
    ],
    ['PostgreSQL elsewhere', sqlLeaseStore({ url: 'postgres://user:secret@db/shop', namespace }), false],
    [
      'PostgreSQL by a host in the query',
      sqlLeaseStore({ url: 'postgres://localhost/shop?host=db', namespace }),
      false,
    ],
    ['MariaDB here', sqlLeaseStore({ dataSource: { type: 'mariadb', host: '127.0.0.1' }, namespace }), true],
    [
      'the master of a replication elsewhere',
      sqlLeaseStore({
        dataSource: { type: 'postgres', host: 'localhost', replication: { master: { host: 'db' } } },
        namespace,
      }),
      false,
    ],
    ['SQLite', sqlLeaseStore({ url: 'sqlite:leases.db', namespace }), true],
    [
      'a database that a function names later',
      sqlLeaseStore({
        dataSource: () => ({ type: 'postgres', host: 'localhost' }),
        namespace,
      }),
      false,
    ],
    ['etcd here', etcdLeaseStore({ urls: ['http://localhost:2379', 'http://[::1]:2379'], namespace }), true],
    [
      'etcd in part',
      etcdLeaseStore({ urls: ['http://localhost:2379', 'http://etcd:2379'], namespace }),
      false,
    ],
  ])('%s: %#', (_, store, expected) => expect(store.isOnLoopback).toBe(expected));
});
