import { Redis } from 'ioredis';

/** Errors that hold a password on purpose: without them nobody would know that the search finds anything. */
const LEAKS: Readonly<Record<string, (password: string) => unknown>> = {
  'the message': (password) => new Error(`cannot connect with ${password}`),
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
  'JSON in JSON': (password) => new Error(JSON.stringify(JSON.stringify({ password }))),
  'a client': (password) =>
    Object.assign(new Error('refused'), { client: new Redis({ lazyConnect: true, password }) }),
};

export const LEAK_FORMS = Object.keys(LEAKS);

export function leakOf(form: string, password: string): unknown {
  return LEAKS[form]?.(password);
}
