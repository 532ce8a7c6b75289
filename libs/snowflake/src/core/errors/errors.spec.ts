import { inspect } from 'node:util';
import { jest } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { seeDocs } from '../see-docs.js';
import { requireOptions } from '../options/option-checks.js';
import { asSentence } from './as-sentence.js';
import { safeCopy, safeReason } from './foreign-error.js';
import { InvalidIdError, InvalidOptionError } from './input-errors.js';
import { layoutDifference } from './layout-difference.js';
import {
  AcquireTimeoutError,
  LayoutMismatchError,
  StoreCorruptError,
  StoreUnavailableError,
} from './lease-errors.js';
import { Redaction, withoutUserInfo } from './redaction.js';
import { visible } from './show-value.js';

describe('a reference to the documentation', () => {
  it('names the page and the heading by their titles while the documentation has no address', () => {
    expect(seeDocs('stores/redis', undefined, undefined)).toContain('"Redis"');
    expect(seeDocs('stores/redis', 'Sentinel and failover')).toContain('"Redis: Sentinel and failover"');
  });

  it('ends with the address of the page and the heading once there is one', () => {
    const site = 'https://docs.example.com/';
    expect(seeDocs('stores/redis', undefined, site)).toMatch(
      / https:\/\/docs\.example\.com\/stores\/redis\.html$/,
    );
    expect(seeDocs('stores/redis', 'Sentinel and failover', site)).toMatch(
      /redis\.html#sentinel-and-failover$/,
    );
  });
});

describe('a text that another sentence follows', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:6379', 'connect ECONNREFUSED 127.0.0.1:6379.'],
    ['It did not answer.', 'It did not answer.'],
    ['See https://example.com/page.html', 'See https://example.com/page.html'],
  ])('ends %o with a full stop where it needs one', (text, sentence) => {
    expect(asSentence(text)).toBe(sentence);
  });
});

const STORED = 'v1 epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12 workers=0+1024';

describe('Layouts of a namespace', () => {
  it.each([
    [
      'epoch',
      STORED.replace('2024', '2025'),
      /^epoch 2024-01-01T00:00:00.000Z there, 2025-01-01T00:00:00.000Z here$/,
    ],
    [
      'range of worker IDs',
      STORED.replace('0+1024', '0+512'),
      /^range of worker IDs .*0\+1024 there, 0\+512 here$/,
    ],
    ['version', STORED.replace('v1', 'v2'), /^version v1 there, v2 here$/],
    [
      'widths',
      STORED.replace('worker:10 sequence:12', 'datacenter:2 worker:8 sequence:12'),
      /^worker bits 10 there, 8 here; datacenter bits none there, 2 here$/,
    ],
  ])('names only the %s if two layouts differ there', (_, own, expected) => {
    expect(layoutDifference(STORED, own)).toMatch(expected);
  });

  it('cuts a stored layout that is longer than any', () => {
    for (const long of ['x'.repeat(200_000), 'x=1 '.repeat(50_000), STORED + ' y=1'.repeat(50_000)]) {
      const error = new LayoutMismatchError('redis namespace "shop"', STORED, long);
      expect(error.message.length).toBeLessThan(8000);
      expect(error.storedLayout.length).toBeLessThan(300);
    }
  });

  it('shows both layouts whole if only the order of their fields differs', () => {
    const own = STORED.replace('worker:10 sequence:12', 'sequence:12 worker:10');
    expect(layoutDifference(STORED, own)).toBe(`"${STORED}" there, "${own}" here`);
  });
});

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
    [
      'file:///app/@nestjs/core cannot reach redis://app:x@db',
      'file:///app/@nestjs/core cannot reach redis://***@db',
    ],
    ['cannot open file://app:x@db/shop', 'cannot open file://***@db/shop'],
    ['profile:///app:x@db', 'profile://***@db'],
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
    "Cannot find module 'file:///app/node_modules/@nestjs/core/index.js' imported from /app/main.js",
    "Cannot find package '@nestjs/core' imported from file:///app/node_modules/@acme/shop/main.js",
    'Module not found: webpack:///./node_modules/@nestjs/core, webpack://shop/./node_modules/@nestjs/common',
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

  it('keeps the address of a module', () => {
    const text = 'see file:///app/node_modules/@nestjs/core/a.js and redis://app:x@db';
    expect(withoutUserInfo(text)).toBe('see file:///app/node_modules/@nestjs/core/a.js and redis://***@db');
    expect(withoutUserInfo('file://app:x@db')).toBe('file://***@db');
  });

  it('removes the secrets of its examples', () => {
    const example = 'Write rediss://user:password@host:6379/0.';
    expect(withoutUserInfo(example)).toBe(example);
  });
});

const SECRET = 'hunter2';

const refusalOf = (value: unknown): InvalidOptionError =>
  new InvalidOptionError('store', value, 'is not a lease store', 'Pass one.');

describe('the message of an error [promise: secrets]', () => {
  it.each([
    [`redis://shop:${SECRET}@db:6379/0`, '"redis://***@db:6379/0"'],
    [`redis://:${SECRET}@db`, '"redis://***@db"'],
    [`redis://shop:a@b/c?d#${SECRET} ${SECRET}@db`, '"redis://***@db"'],
    [`//shop:${SECRET}@db`, '"//***@db"'],
    [`redis://a:${SECRET}@one,redis://b:${SECRET}@two`, '"redis://***@two"'],
    [`redis://shop:${'x'.repeat(80)}${SECRET}@db`, '"redis://***@db"'],
    [`postgres://db/shop?user=a&password=${SECRET}&ssl=1`, '"postgres://db/shop?user=a&password=***&ssl=1"'],
    [`host=db PASSWORD=${SECRET} port=1`, '"host=db PASSWORD=*** port=1"'],
    [[`redis://a:${SECRET}@one`, 'redis://two'], '["redis://***@one", "redis://two"]'],
    [() => `redis://shop:${SECRET}@db`, '[object Function]'],
    [{ password: SECRET }, '[object Object]'],
  ])('shows %o without its password', (value, shown) => {
    const { message } = refusalOf(value);
    expect(message).toContain(`(given: ${shown})`);
    expect(message).not.toContain(SECRET);
    expect(new InvalidIdError(value, 'is not an ID').message).not.toContain(SECRET);
  });

  it.each(['redis://db:6379/0', 'shop@example.com', '0123456789abcdef:host/1@1767225600000', 'a//b'])(
    'shows all of %o (control)',
    (value) => expect(refusalOf(value).message).toContain(`(given: "${value}")`),
  );

  it.each([`${SECRET}!`, '0123456789abcdef', 'a b', 'x'.repeat(41)])(
    'shows no unknown option whose name looks like a secret: %s',
    (name) => {
      const call = (): void => requireOptions('options', { [name]: 1 }, { url: true });
      expect(call).toThrow(/^Unknown option "\(not shown\)"\. Valid options: url\.$/);
      expect(call).toThrow(expect.objectContaining({ option: '(not shown)' }));
    },
  );

  it('shows no string that is passed instead of options', () =>
    expect(() => requireOptions('options', `app:${SECRET}@db`, { url: true })).toThrow(
      'options must be an object (given: "(not shown)"). Valid options: url.',
    ));

  it('shows no value of an unknown option, which can be a password', () => {
    expect(() => requireOptions('options', { password: SECRET }, { url: true })).toThrow(
      'Unknown option "password". Valid options: url.',
    );
  });
});

describe('characters that nobody sees', () => {
  const REVERSED = '\u202Egnp.exe\u202C evil\u061C\u200F\u2066\u{E0001}';

  it('escapes control characters in the message of an error, also in a stored value', () => {
    const { message } = new StoreCorruptError('redis namespace "shop"', '17\u202E', `${REVERSED}\u0085`);
    expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(message).toContain(
      '"17\\u202e": "\\u202egnp.exe\\u202c evil\\u061c\\u200f\\u2066\\udb40\\udc01\\u0085"',
    );
  });

  it('leaves JSON text equal when it escapes control characters', () => {
    const json = JSON.stringify({ holder: REVERSED, other: 'Zażółć 数据库 🦊' });
    expect(visible(json)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(visible(json))).toEqual(JSON.parse(json));
    expect(visible(json)).toContain('Zażółć 数据库 🦊');
  });
});

describe('the value of InvalidOptionError [promise: secrets]', () => {
  const value = { host: 'db', password: SECRET };

  it.each<[unknown, unknown]>([
    [undefined, undefined],
    [null, null],
    [true, true],
    [-0.5, -0.5],
    [7n, 7n],
    ['shop', 'shop'],
    [new Date(0), new Date(0)],
    [`redis://app:${SECRET}@db`, 'redis://***@db'],
    [value, '[object Object]'],
    [[value, `redis://app:${SECRET}@db`], '[[object Object], "redis://***@db"]'],
    [() => SECRET, '[object Function]'],
    [Symbol('s'), 'Symbol(s)'],
  ])('keeps of the value %o only %o', (given, kept) => {
    expect(refusalOf(given)).toHaveProperty('value', kept);
    expect(new InvalidIdError(given, 'is not an ID')).toHaveProperty('value', kept);
  });

  it('prints no object with a password', () => {
    for (const error of [refusalOf(value), new InvalidIdError(value, 'is not an ID')]) {
      const everything = { depth: Infinity, showHidden: true, getters: true };
      for (const printed of [inspect(error, everything), inspect({ error }), JSON.stringify(error)]) {
        expect(printed).toContain(error.code);
        expect(printed).not.toContain(SECRET);
      }
    }
  });
});

const printed = (value: unknown): string =>
  inspect(value, { depth: Infinity, showHidden: true, getters: true }) + JSON.stringify(value);

/** Returns an error as ioredis throws it. */
function replyError(message = 'WRONGPASS invalid username-password pair'): Error {
  class ReplyError extends Error {
    override readonly name = 'ReplyError';
    readonly command = { name: 'hello', args: ['3', 'AUTH', 'app', SECRET] };
  }
  return new ReplyError(message);
}

describe('a copy of a foreign error', () => {
  it('copies name, message, code and stack frames of a foreign error, and nothing else', () => {
    const failure = Object.assign(replyError(), {
      code: 'ECONNREFUSED',
      errno: -111,
      syscall: 'connect',
      config: { password: SECRET },
    });
    const copy = safeCopy(failure);
    expect(Object.keys(copy).sort()).toEqual(['code', 'errno', 'syscall']);
    expect(copy).toMatchObject({ name: 'ReplyError', message: failure.message, code: 'ECONNREFUSED' });
    expect(copy.stack?.split('\n').slice(0, 2)).toEqual(failure.stack?.split('\n').slice(0, 2));
    expect(printed(failure)).toContain(SECRET);
    expect(printed(copy)).not.toContain(SECRET);
  });

  it('keeps file names unchanged', () => {
    const frame = '    at run (file:///app/node_modules/@nestjs/core/index.js:1:1)';
    const copy = safeCopy(Object.assign(new Error('x'), { stack: `Error: x\n${frame}` }));
    expect(copy.stack).toBe(`Error: x\n${frame}`);
  });

  it('contains no secret that the redaction knows', () => {
    const failure = replyError(`cannot use ${SECRET}\n    at ${SECRET} (file:1:1)`);
    Object.assign(failure, { name: SECRET, code: SECRET, cause: new Error(SECRET, { cause: SECRET }) });
    failure.stack += `\n    at ${SECRET} (file:1:1)`;
    const copy = safeCopy(failure, new Redaction([SECRET]));
    expect(printed(copy)).not.toContain(SECRET);
    expect(copy.cause).toMatchObject({ message: '***', cause: { message: '***' } });
  });

  it('omits a code that is a sentence, and an invalid name', () => {
    const failure = Object.assign(new Error('x'), { code: `no ${SECRET}`, name: `no ${SECRET}`, errno: {} });
    expect(printed(safeCopy(failure))).not.toContain(SECRET);
  });

  it('follows a limited number of causes', () => {
    const failure = new Error('turns');
    failure.cause = failure;
    expect(safeCopy(failure)).toHaveProperty('cause.cause.cause.message', 'turns');
    expect(safeCopy(failure)).not.toHaveProperty('cause.cause.cause.cause');
  });

  it.each<[string, unknown, string]>([
    ['a text', 'text', 'text'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', () => SECRET, 'a function was thrown'],
    ['an object', { password: SECRET }, 'an object without a message was thrown'],
    ['an object with a message', { message: 'no', password: SECRET }, 'no'],
    ['an object without a prototype', Object.create(null), 'an object without a message was thrown'],
    ['an error of another realm', runInNewContext('new TypeError("elsewhere")'), 'elsewhere'],
    [
      'an error that throws when it is read',
      new Proxy(new Error('x'), {
        get: () => {
          throw new Error(SECRET);
        },
      }),
      'an object without a message was thrown',
    ],
    [
      'an error that has only a code',
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'ECONNREFUSED',
    ],
    ['an error that has only a name', new RangeError(), 'RangeError'],
  ])('makes a cause of any thrown value: %s', (_, thrown, reason) => {
    expect(safeReason(thrown)).toBe(reason);
    expect(printed(safeCopy(thrown))).not.toContain(SECRET);
  });
});

describe('the cause of an error of the library', () => {
  it('copies a foreign cause, no matter who attached it', () => {
    const failure = replyError();
    const error = new StoreUnavailableError('away', failure);
    expect(error.cause).not.toBe(failure);
    expect(error.cause).toMatchObject({ name: 'ReplyError', message: failure.message });
    expect(printed(new AcquireTimeoutError(1, 'shop', 'away', error))).not.toContain(SECRET);
  });

  it('keeps a cause that is an error of the library or a copy', () => {
    const inner = new StoreUnavailableError('away');
    expect(new AcquireTimeoutError(1, 'shop', 'away', inner).cause).toBe(inner);
    const copy = safeCopy(replyError());
    expect(new StoreUnavailableError('away', copy).cause).toBe(copy);
  });

  it('keeps a copy that another copy of the package has made', async () => {
    jest.resetModules();
    const another = await import('./foreign-error.js');
    expect(another.safeCopy).not.toBe(safeCopy);
    const copy = another.safeCopy(replyError());
    expect(new StoreUnavailableError('away', copy).cause).toBe(copy);
  });

  it('adds no cause if there is none', () =>
    expect(Object.keys(Object.getOwnPropertyDescriptors(inner()))).not.toContain('cause'));

  const inner = (): Error => new StoreUnavailableError('away');
});
