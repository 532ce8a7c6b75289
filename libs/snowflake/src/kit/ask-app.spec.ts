import { inspect } from 'node:util';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { sqlLeaseStore } from '../stores/sql/sql-lease-store.js';
import { AppFunctionError, askApp } from './ask-app.js';
import { addressOf } from './sql/database/database-options.js';

const SECRET = 'hunter2';
const namespace = 'shop';

async function fetchPassword(): Promise<string> {
  return JSON.parse(`${SECRET} is no JSON`) as string;
}

async function failureOf(call: () => unknown): Promise<Error> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure');
}

const printed = (error: unknown): string => inspect(error, { depth: 20, showHidden: true });

describe('a function of the app that fetches a secret [promise: secrets]', () => {
  it('shows the secret in the text of what it throws (control)', async () => {
    expect(printed(await failureOf(fetchPassword))).toContain(SECRET);
  });

  it.each<[string, () => unknown]>([
    ['a function', () => askApp('url', fetchPassword)],
    ['a function that throws at once', () => askApp('url', () => Promise.reject(new Error(SECRET)))],
    ['the function url', () => sqlLeaseStore({ namespace, url: fetchPassword }).inspect()],
    [
      'the function dataSource',
      () => sqlLeaseStore({ namespace, dataSource: fetchPassword as never }).inspect(),
    ],
    [
      'the function password',
      () => (addressOf({ type: 'postgres', password: fetchPassword }).password as () => unknown)(),
    ],
  ])('shows neither the text nor the cause of what %s throws', async (_, call) => {
    const failure = await failureOf(call);
    expect(failure.message).toMatch(/the function (url|dataSource|password) threw (Syntax)?Error/);
    expect(printed(failure)).not.toContain(SECRET);
  });

  it('shows where it has thrown, and the code', async () => {
    const error = Object.assign(new Error(SECRET), { code: 'ENOENT' });
    const failure = await failureOf(() => askApp('url', () => Promise.reject(error)));
    expect(failure).toBeInstanceOf(AppFunctionError);
    expect(failure.message).toContain('threw Error ENOENT');
    expect((failure.cause as Error).stack).toContain('ask-app.spec');
  });

  it('passes an error of the library on, which holds no secret', async () => {
    const refusal = new InvalidOptionError('url', undefined, 'is missing', 'Set it.');
    expect(await failureOf(() => askApp('url', () => Promise.reject(refusal)))).toBe(refusal);
  });
});
