import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { checkRemoteOptions, type RemoteLeaseStoreOptions } from './remote-options.js';

const NAMESPACE = 'shop';
const url = 'https://ids.example.com';

describe('the options of a remote lease store', () => {
  it.each([
    [{ url }, [url]],
    [{ url: `${url}/` }, [url]],
    [{ url: `${url}/internal/snowflake/` }, [`${url}/internal/snowflake`]],
    [{ urls: [url, 'http://localhost:3000'] }, [url, 'http://localhost:3000']],
  ])('take addresses: %j', (options, addresses) => {
    expect(checkRemoteOptions({ namespace: NAMESPACE, ...options }).addresses).toEqual(addresses);
  });

  it('take a token, or a function that returns it', async () => {
    const tokenOf = (token: RemoteLeaseStoreOptions['token']) =>
      checkRemoteOptions({ namespace: NAMESPACE, url, token }).token();
    expect(tokenOf('secret')).toBe('secret');
    expect(tokenOf(() => 'changed')).toBe('changed');
    expect(tokenOf(undefined)).toBeUndefined();
  });

  it.each([
    ['neither url nor urls', {}],
    ['both url and urls', { url, urls: [url] }],
    ['no URL', { url: 'ids.example.com' }],
    ['another protocol', { url: 'redis://ids.example.com' }],
    ['a user in the URL', { url: 'https://user:hunter2@ids.example.com' }],
    ['a query', { url: `${url}?token=hunter2` }],
    ['an empty list', { urls: [] }],
    ['a list with something else', { urls: [url, 5] }],
    ['a token with a line break', { url, token: 'hunter2\r\nx: y' }],
    ['a token that is a number', { url, token: 5 }],
    ['another namespace', { url, namespace: 'a shop' }],
    ['an unknown option', { url, tokens: [] }],
  ])('refuse %s by a typed error, and show no secret', (_, options) => {
    const check = (): unknown =>
      checkRemoteOptions({ namespace: NAMESPACE, ...options } as RemoteLeaseStoreOptions);
    expect(check).toThrow(InvalidOptionError);
    expect(check).not.toThrow(/hunter2/);
  });
});
