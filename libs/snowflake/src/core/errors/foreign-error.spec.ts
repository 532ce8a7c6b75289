import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { AcquireTimeoutError, StoreUnavailableError } from './lease-errors.js';
import { safeCopy, safeReason } from './foreign-error.js';
import { Redaction } from './redaction.js';

const SECRET = 'hunter2';

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

  it('adds no cause if there is none', () =>
    expect(Object.keys(Object.getOwnPropertyDescriptors(inner()))).not.toContain('cause'));

  const inner = (): Error => new StoreUnavailableError('away');
});
