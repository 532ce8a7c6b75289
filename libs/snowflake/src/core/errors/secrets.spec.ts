import { inspect } from 'node:util';
import { InvalidIdError, InvalidOptionError } from '../errors.js';
import { requireOptions } from '../option-checks.js';

const SECRET = 'hunter2';

const refusalOf = (value: unknown): InvalidOptionError =>
  new InvalidOptionError('store', value, 'is no lease store', 'Make one.');

describe('the message of an error', () => {
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
    expect(new InvalidIdError(value, 'is no ID').message).not.toContain(SECRET);
  });

  it.each(['redis://db:6379/0', 'shop@example.com', '0123456789abcdef:host/1@1767225600000', 'a//b'])(
    'shows all of %p',
    (value) => expect(refusalOf(value).message).toContain(`(given: "${value}")`),
  );

  it('does not show what an unknown option holds, since that may be a password', () => {
    expect(() => requireOptions('options', { password: SECRET }, { url: true })).toThrow(
      'password is no option (given: "(not shown)"). Look for a misspelling; there are url.',
    );
  });
});

describe('the value of InvalidOptionError', () => {
  const value = { host: 'db', password: SECRET };

  it('can be read', () => {
    expect(refusalOf(value).value).toBe(value);
    expect(refusalOf(value)).toMatchObject({ option: 'store', value });
  });

  it('is not printed, as an object with a password would be', () => {
    const error = refusalOf(value);
    for (const printed of [inspect(error, { depth: 5 }), inspect({ error }), JSON.stringify(error)]) {
      expect(printed).toContain('SNOWFLAKE_INVALID_OPTION');
      expect(printed).not.toContain(SECRET);
    }
  });
});
