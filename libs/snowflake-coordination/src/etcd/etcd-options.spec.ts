import { InvalidOptionError } from '../../../snowflake/src/core/errors/input-errors.js';
import { checkEtcdOptions, type EtcdLeaseStoreOptions } from './etcd-options.js';

const PASSWORD = 'p/w:4d';
const namespace = 'shop';

function refusalOf(options: object): InvalidOptionError {
  try {
    checkEtcdOptions({ namespace, ...options } as EtcdLeaseStoreOptions);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error('expected a refusal');
}

describe('the options of etcdLeaseStore', () => {
  it('takes the user and the password out of the URL', () => {
    const url = `https://shop:${encodeURIComponent(PASSWORD)}@etcd-1:2379/`;
    const user = { name: 'shop', password: PASSWORD };
    expect(checkEtcdOptions({ namespace, url }).addresses).toEqual([{ origin: 'https://etcd-1:2379', user }]);
    const urls = ['http://etcd-1:2379', 'http://[::1]:2379'];
    expect(checkEtcdOptions({ namespace, urls }).addresses).toEqual(urls.map((origin) => ({ origin })));
  });

  it.each([
    ['no address', {}, 'url'],
    ['two kinds of addresses', { url: 'http://a', urls: ['http://b'] }, 'url'],
    ['no URL', { url: 'etcd-1:2379' }, 'url'],
    ['another scheme', { url: 'redis://etcd-1:2379' }, 'url'],
    ['a path', { url: 'http://etcd-1:2379/v3' }, 'url'],
    ['a query', { url: 'http://etcd-1:2379/?a=1' }, 'url'],
    ['a user without a password', { url: 'http://shop@etcd-1:2379' }, 'url'],
    ['an empty list', { urls: [] }, 'urls'],
    ['a list with something else', { urls: ['http://a', 2379] }, 'urls'],
    ['a mix of http and https', { urls: ['http://a', 'https://b'] }, 'urls'],
    [
      'an option of TLS that hides a wrong server',
      { url: 'https://a', tls: { rejectUnauthorized: false } },
      'tls',
    ],
    ['TLS as text', { url: 'https://a', tls: 'ca.pem' }, 'tls'],
    ['an unknown option', { url: 'http://a', prefix: 'x' }, 'prefix'],
    ['a bad namespace', { url: 'http://a', namespace: 'a b' }, 'namespace'],
  ])('refuses %s, and names the option', (_, options, option) => {
    expect(refusalOf(options).option).toBe(option);
  });

  it('never shows an address that may hold a password', () => {
    for (const options of [
      { url: `http://shop:${PASSWORD}@etcd-1` },
      { urls: [`ftp://shop:${PASSWORD}@etcd-1`] },
      { url: 'http://a', urls: [`http://shop:${encodeURIComponent(PASSWORD)}@etcd-1`] },
    ]) {
      const { message } = refusalOf(options);
      for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(message).not.toContain(secret);
    }
  });
});
