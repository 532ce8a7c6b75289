import { Redis } from 'ioredis';
import { StoreRejectedError } from 'nestjs-snowflake';
import { DataSource } from 'typeorm';
import type { Places } from './places.js';

type Leak = (password: string, places: Places) => unknown;

/** Errors that contain a password on purpose, as a control that the search finds it. */
const LEAKS: Readonly<Record<string, Leak>> = {
  'the error of ioredis': errorOfIoredis,
  'the error of ioredis as the cause of one of the library': async (password, places) => {
    const cause = await errorOfIoredis(password, places);
    return Object.defineProperty(new StoreRejectedError('refused'), 'cause', {
      value: cause,
      enumerable: false,
    });
  },
  'a message': (password) => new Error(`cannot connect with ${password}`),
  'the end of a message': (password) => new Error(`cannot connect with …${password.slice(-9)}`),
  'a property': (password) => Object.assign(new Error('refused'), { command: { args: ['AUTH', password] } }),
  'a hidden property': (password) =>
    Object.defineProperty(new Error('refused'), 'value', { value: { password }, enumerable: false }),
  'the cause of a cause': (password) =>
    new Error('refused', { cause: new Error('no', { cause: { password } }) }),
  'a getter': (password) =>
    Object.defineProperty(new Error('refused'), 'secret', { get: () => password, enumerable: true }),
  'a URL': (password) => new Error(`redis://app:${encodeURIComponent(password)}@db`),
  base64: (password) => new Error(Buffer.from(`app:${password}`).toString('base64')),
  'a Buffer': (password) => Object.assign(new Error('refused'), { sent: Buffer.from(`AUTH ${password}`) }),
  'bytes in JSON': (password) => new Error(JSON.stringify([...Buffer.from(password)])),
  'JSON in JSON': (password) => new Error(JSON.stringify(JSON.stringify({ password }))),
  'a client': (password) =>
    Object.assign(new Error('refused'), { client: new Redis({ lazyConnect: true, password }) }),
  'a DataSource': (password) =>
    Object.assign(new Error('refused'), { dataSource: new DataSource({ type: 'postgres', password }) }),
};

export const LEAK_FORMS = Object.keys(LEAKS);

export async function leakOf(form: string, password: string, places: Places): Promise<unknown> {
  return LEAKS[form]?.(password, places);
}

/** What a wrong password makes of a call. */
export async function errorOfIoredis(password: string, { redis, user }: Places): Promise<unknown> {
  const client = new Redis({ host: '127.0.0.1', port: redis, username: user, password, lazyConnect: true });
  let reported: unknown;
  client.on('error', (error: unknown) => (reported ??= error));
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return reported ?? error;
  } finally {
    client.disconnect();
  }
}
