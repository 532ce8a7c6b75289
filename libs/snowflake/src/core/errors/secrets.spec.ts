import { inspect } from 'node:util';
import { InvalidIdError, InvalidOptionError } from './input-errors.js';
import { StoreCorruptError } from './lease-errors.js';
import { visible } from './show-value.js';
import { requireOptions } from '../options/option-checks.js';

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
  ])('shows %p without its password', (value, shown) => {
    const { message } = refusalOf(value);
    expect(message).toContain(`(given: ${shown})`);
    expect(message).not.toContain(SECRET);
    expect(new InvalidIdError(value, 'is not an ID').message).not.toContain(SECRET);
  });

  it.each(['redis://db:6379/0', 'shop@example.com', '0123456789abcdef:host/1@1767225600000', 'a//b'])(
    'shows all of %p (control)',
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
  ])('keeps of the value %p only %p', (given, kept) => {
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
