import { inspect } from 'node:util';
import { InvalidOptionError } from '../../../snowflake/src/core/errors/input-errors.js';
import { zookeeperLeaseStore } from './zookeeper-lease-store.js';
import { checkZookeeperOptions, type ZookeeperLeaseStoreOptions } from './zookeeper-options.js';

const PASSWORD = 's3cret/@9f27c1';
const namespace = 'shop';
const connectString = 'zk-1:2181';
const user = { name: 'shop', password: PASSWORD };

function refusalOf(options: object): InvalidOptionError {
  try {
    checkZookeeperOptions({ namespace, connectString, ...options } as ZookeeperLeaseStoreOptions);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('the options of zookeeperLeaseStore', () => {
  it('take the servers, their ports and the path out of the connect string', () => {
    const { addresses, root } = checkZookeeperOptions({
      namespace,
      connectString: 'zk-1,10.0.0.2:2182,[::1]:2183/apps/ids',
    });
    expect(addresses).toEqual([
      { host: 'zk-1', port: 2181 },
      { host: '10.0.0.2', port: 2182 },
      { host: '::1', port: 2183 },
    ]);
    expect(root).toBe('/apps/ids/snowflake/shop');
  });

  it.each([
    ['no server', { connectString: '' }, 'connectString'],
    ['an empty server', { connectString: 'zk-1:2181,' }, 'connectString'],
    ['a URL', { connectString: 'zookeeper://zk-1:2181' }, 'connectString'],
    ['a user in it', { connectString: 'shop:secret@zk-1:2181' }, 'connectString'],
    ['a port that none can have', { connectString: 'zk-1:65536' }, 'connectString'],
    ['a path that leads up', { connectString: 'zk-1:2181/a/../b' }, 'connectString'],
    ['a path that ends with a slash', { connectString: 'zk-1:2181/' }, 'connectString'],
    ['a namespace that is no node', { namespace: '..' }, 'namespace'],
    ['a bad namespace', { namespace: 'a b' }, 'namespace'],
    ['a user without a password', { user: { name: 'shop' } }, 'user'],
    ['a user with a colon', { user: { name: 'a:b', password: PASSWORD } }, 'user'],
    ['an option of TLS that hides a wrong server', { tls: { rejectUnauthorized: false } }, 'tls'],
    ['an assertion as text', { assumeNoLostWrites: 'yes' }, 'assumeNoLostWrites'],
    ['an unknown option', { prefix: 'x' }, 'prefix'],
  ])('refuse %s, and name the option', (_, options, option) => {
    expect(refusalOf(options).option).toBe(option);
  });

  it('keep the password out of logs and errors', async () => {
    const store = zookeeperLeaseStore({ namespace, connectString: '127.0.0.1:1', user });
    const failure: unknown = await store.inspect().catch((error: unknown) => error);
    const shown = inspect([store, failure], { depth: 20, showHidden: true });
    expect(shown).not.toContain(PASSWORD);
    const tls = `-----BEGIN PRIVATE KEY-----\n${PASSWORD}`;
    const wrong = [
      { user: { ...user, realm: 'x' } },
      { user: PASSWORD },
      { user: `shop:${PASSWORD}` },
      { user: ['shop', PASSWORD] },
      { tls },
      { tls: [tls] },
    ];
    for (const each of wrong) {
      expect(inspect(refusalOf(each), { depth: 20, showHidden: true })).not.toContain(PASSWORD);
    }
    await store.close();
  });
});
