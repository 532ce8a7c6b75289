import { inspect } from 'node:util';
import { credentialsIn, credentialsOfClient } from './credentials.js';

const cleaned = (text: string, ...sources: unknown[]): string =>
  credentialsIn(...sources).redaction.clean(text);

describe('the credentials in the options of a connection', () => {
  it.each<[string, unknown]>([
    ['a password', { password: 'hunter2' }],
    ['a password of the Sentinels', { sentinelPassword: 'hunter2' }],
    ['a password further inside', { redisOptions: { password: 'hunter2' } }],
    ['a password in a list', { replication: { slaves: [{ password: 'hunter2' }] } }],
    ['several passwords', { password: { first: 'hunter2' } }],
    ['the key of TLS', { tls: { key: 'hunter2' } }],
    ['a pass phrase', { extra: { ssl: { passphrase: 'hunter2' } } }],
    ['a token', { authToken: 'hunter2' }],
    ['a URL', 'redis://app:hunter2@db:6379/0'],
    ['a URL in the options', { url: 'postgres://app:hunter2@db/shop' }],
    ['a URL without a user', ['redis://:hunter2@db']],
    ['a URL with a password in the place of the user', { url: 'redis://hunter2@db:6379/0' }],
    ['such a URL with a colon', { url: 'postgres://hunter2:@db/shop' }],
    ['such a URL without a protocol', ['hunter2@db:7000']],
    ['a user in a parameter of a URL, without a password', 'postgres://db/shop?user=hunter2'],
    ['a URL without a protocol', { host: 'app:hunter2@db' }],
    ['a parameter of a URL', { url: 'redis://db:6379?password=hunter2&db=1' }],
    ['options without a prototype', Object.assign(Object.create(null), { password: 'hunter2' })],
  ])('finds credentials: %s', (_, source) => {
    expect(cleaned('it was hunter2', source)).toBe('it was ***');
    const printed = inspect(credentialsIn(source), { depth: Infinity, showHidden: true, getters: true });
    expect(printed).not.toContain('hunter2');
  });

  it('finds credentials in each form of a URL', () => {
    const url = `redis://app:${encodeURIComponent('p@ss/w:rd')}@db`;
    expect(cleaned('p@ss/w:rd or p%40ss%2Fw%3Ard', { url })).toBe('*** or ***');
    expect(cleaned(Buffer.from('app:p@ss/w:rd').toString('base64'), { url })).toMatch(/^\*\*\*=*$/);
  });

  it.each([
    ['redis://app:pass/word@rest#99@db', 'connect ENOENT //word@rest'],
    ['redis://pass#word@db', 'getaddrinfo ENOTFOUND pass'],
    ['mysql://app:123?x@db', 'connect ECONNREFUSED app:123'],
  ])('finds credentials in the parts of a URL that is not percent-encoded: %s', (url, failure) => {
    expect(cleaned(failure, { url })).not.toMatch(/pass|word|rest|app|123/);
    expect(cleaned('connect ECONNREFUSED db', { url })).toContain('db');
  });

  it('finds credentials where a server cuts the name of a user', () => {
    const token = 'x4'.repeat(100);
    for (const length of [32, 63, 80, 128, 200])
      expect(cleaned(`user "${token.slice(0, length)}"`, { url: `postgres://${token}@db` })).toBe(
        'user "***"',
      );
  });

  it("finds credentials that stand in each other's place", () =>
    expect(cleaned('user "k7Xq42sesame"', 'postgres://k7Xq42sesame:app@db')).toBe('user "***"'));

  it('takes no user for a password that looks like one', () =>
    expect(cleaned('user "app_2"', { url: 'postgres://app_2:x@db' })).toBe('user "app_2"'));

  it.each([
    [{ username: 'hunter2', password: '' }, 'it was ***'],
    [{ username: 'hunter2', password: null }, 'it was ***'],
    [{ username: 'app', password: 'hunter2' }, 'it was ***'],
    [{ username: 'hunter2', password: 'x1y2' }, 'it was hunter2'],
  ])('finds credentials in a client, which names no user: %j', (options, expected) => {
    const { user, redaction } = credentialsOfClient(options);
    expect({ user, text: redaction.clean('it was hunter2') }).toEqual({ user: undefined, text: expected });
  });

  it.each<[string, string | undefined, unknown[]]>([
    ['as username', 'app', [{ username: 'app', password: 'x1y2' }]],
    ['as user', 'app', [{ user: 'app' }]],
    ['in a URL, which is not shown', undefined, [{ url: 'redis://a%20pp:x@db' }]],
    ['in a URL, which wins', undefined, ['redis://app:x@db', { username: 'other' }]],
    ['in the first source', 'one', [{ username: 'one' }, { username: 'two' }]],
    ['nowhere', undefined, [{ host: 'db' }, undefined, null, 7]],
    ['but it is the password too', undefined, [{ username: 'app', password: 'app' }]],
  ])('finds the user: %s', (_, user, sources) => expect(credentialsIn(...sources).user).toBe(user));

  it('leaves out what is not secret', () => {
    const options = { host: 'db', port: 6379, keyPrefix: 'app:', username: 'app', database: 'shop' };
    expect(cleaned('db 6379 app: app shop', options)).toBe('db 6379 app: app shop');
  });

  it('searches for credentials within bounds, without calling the app', () => {
    const options: Record<string, unknown> = { password: 'hunter2', driver: { password: 'elsewhere' } };
    options['again'] = options;
    Object.defineProperty(options, 'secret', {
      enumerable: true,
      get: () => {
        throw new Error('was called');
      },
    });
    expect(cleaned('hunter2 elsewhere', options)).toBe('*** elsewhere');
  });
});
