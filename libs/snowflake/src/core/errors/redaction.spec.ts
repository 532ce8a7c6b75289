import { inspect } from 'node:util';
import { Redaction, withoutUserInfo } from './redaction.js';

const AWKWARD = `p@ss:/?#[%& "'\\$1é`;

describe('a redaction', () => {
  const redaction = new Redaction([AWKWARD, 'redis', 'hunter2']);

  it.each<[string, string]>([
    ['as it is', AWKWARD],
    ['percent-encoded', encodeURIComponent(AWKWARD)],
    ['percent-encoded in small letters', encodeURIComponent(AWKWARD).toLowerCase()],
    ['in JSON', JSON.stringify(AWKWARD).slice(1, -1)],
    ['in base64', Buffer.from(AWKWARD).toString('base64').replace(/=+$/, '')],
    ['within a word', `xhunter2x`],
  ])('removes a known secret: %s', (_, form) => {
    const cleaned = redaction.clean(`cannot connect with ${form} today`);
    expect(cleaned).toMatch(/^cannot connect with x?\*\*\*x? today$/);
    expect(new Redaction().clean(form)).not.toBe('***');
  });

  it('removes a secret that is a word only as a whole word', () => {
    expect(redaction.clean('user "redis" of ioredis on redis_1: redis')).toBe(
      'user "***" of ioredis on redis_1: ***',
    );
  });

  it('removes a longer secret as a whole, even if it contains another one', () => {
    expect(new Redaction(['abcd1', 'abcd12345']).clean('it is abcd12345.')).toBe('it is ***.');
  });

  it('removes a secret before it cuts the text', () => {
    const secret = 'a1'.repeat(600);
    const cleaned = new Redaction([secret]).clean(`${'x'.repeat(900)} ${secret} ${'y'.repeat(900)}`);
    expect(cleaned).not.toContain('a1');
    expect(cleaned).toHaveLength(1001);
  });

  it('ignores an empty secret', () => expect(new Redaction(['']).clean('a b')).toBe('a b'));

  it('accepts a secret that has no percent-encoding', () =>
    expect(new Redaction(['\ud800abc']).clean('x \ud800abc')).toBe('x ***'));

  it('removes the secrets that it knows from a text', () => {
    const printed = inspect({ redaction }, { depth: Infinity, showHidden: true, getters: true });
    expect(printed + JSON.stringify(redaction)).not.toMatch(/hunter2|p@ss/);
  });
});

describe('a text whose secrets are unknown', () => {
  const clean = (text: string): string => new Redaction().clean(text);

  it.each([
    ['cannot reach redis://app:a/b ?"c@db:6379 now', 'cannot reach redis://***@db:6379 now'],
    ["unknown command 'AUTH', with args beginning with: 'app' 'x'", /beginning with: \*\*\*$/],
    ['connect user=app password=x y', 'connect user=app password=*** y'],
    ['{"password":"x y","port":1}', '{"password":***,"port":1}'],
    ['"{\\"password\\":\\"x\\"}"', /^[^x]*$/],
    ["{ password: 'x y', port: 1 }", '{ password: ***, port: 1 }'],
    ['{"password":"never ends', '{"password":***'],
    [
      'PASSWD = x, api_key: x, token: x; passphrase=x',
      'PASSWD = ***, api_key: ***, token: ***; passphrase=***',
    ],
  ])('loses anything that looks like one: %s', (text, expected) => expect(clean(text)).toMatch(expected));

  it.each([
    'WRONGPASS invalid username-password pair or user is disabled.',
    'password authentication failed for user "app"',
    "Access denied for user 'app'@'127.0.0.1' (using password: YES)",
    'connect ECONNREFUSED 127.0.0.1:6379',
    'getaddrinfo ENOTFOUND redis.example',
    'All sentinels are unreachable. Retrying from scratch after 10ms. Last error: NOAUTH Authentication required.',
  ])('keeps what servers and drivers say: %s', (text) => expect(clean(text)).toBe(text));

  it('processes a text in linear time, however long it is', () => {
    const hostile = ['/'.repeat(1e6), 'password="'.repeat(1e5), `//${'@'.repeat(1e6)}`, 'a'.repeat(1e6)];
    for (const text of hostile) expect(clean(text).length).toBeLessThanOrEqual(1001);
  });
});

describe('a message of the library', () => {
  it('loses the user and password of a URL in it', () =>
    expect(withoutUserInfo('redis://app:x@db "shop" failed at //b:y@db2')).toBe(
      'redis://***@db "shop" failed at //***@db2',
    ));

  it('removes the secrets of its examples', () => {
    const example = 'Write rediss://user:password@host:6379/0.';
    expect(withoutUserInfo(example)).toBe(example);
  });
});
