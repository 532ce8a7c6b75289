import { inspect } from 'node:util';
import { credentialsIn } from './credentials.js';

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
    ['a URL without a protocol', { host: 'app:hunter2@db' }],
    ['a parameter of a URL', { url: 'redis://db:6379?password=hunter2&db=1' }],
    ['options without a prototype', Object.assign(Object.create(null), { password: 'hunter2' })],
  ])('are found: %s', (_, source) => {
    expect(cleaned('it was hunter2', source)).toBe('it was ***');
    const printed = inspect(credentialsIn(source), { depth: Infinity, showHidden: true, getters: true });
    expect(printed).not.toContain('hunter2');
  });

  it('are found in each form of a URL', () => {
    const url = `redis://app:${encodeURIComponent('p@ss/w:rd')}@db`;
    expect(cleaned('p@ss/w:rd or p%40ss%2Fw%3Ard', { url })).toBe('*** or ***');
    expect(cleaned(Buffer.from('app:p@ss/w:rd').toString('base64'), { url })).toMatch(/^\*\*\*=*$/);
  });

  it.each<[string, string | undefined, unknown[]]>([
    ['as username', 'app', [{ username: 'app', password: 'x1y2' }]],
    ['as user', 'app', [{ user: 'app' }]],
    ['in a URL', 'a pp', [{ url: 'redis://a%20pp:x@db' }]],
    ['in the first source', 'one', [{ username: 'one' }, { username: 'two' }]],
    ['nowhere', undefined, [{ host: 'db' }, undefined, null, 7]],
    ['but it is the password too', undefined, [{ username: 'app', password: 'app' }]],
  ])('name the user: %s', (_, user, sources) => expect(credentialsIn(...sources).user).toBe(user));

  it('leave out what is not secret', () => {
    const options = { host: 'db', port: 6379, keyPrefix: 'app:', username: 'app', database: 'shop' };
    expect(cleaned('db 6379 app: app shop', options)).toBe('db 6379 app: app shop');
  });

  it('are searched for within bounds, without calling the app', () => {
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
