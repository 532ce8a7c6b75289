import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { CallDeadline } from '../../lease/lease-store.js';
import { checkRemoteOptions, type RemoteLeaseStoreOptions } from './remote-options.js';
import { type CallEnvironment, realEnvironment, ServiceCalls } from './service-calls.js';

const NAMESPACE = 'shop';
const url = 'https://ids.example.com';

describe('the options of a remote lease store', () => {
  it.each([
    [{ url }, [url]],
    [{ url: `${url}/` }, [url]],
    [{ url: `${url}/internal/snowflake/` }, [`${url}/internal/snowflake`]],
    [{ urls: [url, 'http://localhost:3000'] }, [url, 'http://localhost:3000']],
  ])('take addresses: %j', (options, addresses) => {
    expect(checkRemoteOptions({ namespace: NAMESPACE, ...options }).addresses).toEqual(addresses);
  });

  it('take a token, or a function that returns it', async () => {
    const tokenOf = (token: RemoteLeaseStoreOptions['token']) =>
      checkRemoteOptions({ namespace: NAMESPACE, url, token }).token();
    expect(tokenOf('secret')).toBe('secret');
    expect(tokenOf(() => 'changed')).toBe('changed');
    expect(tokenOf(undefined)).toBeUndefined();
  });

  it.each([
    ['neither url nor urls', {}],
    ['both url and urls', { url, urls: [url] }],
    ['no URL', { url: 'ids.example.com' }],
    ['another protocol', { url: 'redis://ids.example.com' }],
    ['a user in the URL', { url: 'https://user:hunter2@ids.example.com' }],
    ['a query', { url: `${url}?token=hunter2` }],
    ['a query of another name', { url: `${url}?k=hunter2` }],
    ['a URL in a list', { urls: [`${url}?k=hunter2`] }],
    ['a token in the place of the URL', { url: 'hunter2' }],
    ['tokens in the place of the URLs', { urls: ['hunter2'] }],
    ['an empty list', { urls: [] }],
    ['a list with something else', { urls: [url, 5] }],
    ['a token with a line break', { url, token: 'hunter2\r\nx: y' }],
    ['a token that is a number', { url, token: 5 }],
    ['another namespace', { url, namespace: 'a shop' }],
    ['a namespace that a URL drops', { url, namespace: '.' }],
    ['a namespace that leads up', { url, namespace: '..' }],
    ['an unknown option', { url, tokens: [] }],
  ])('refuse %s by a typed error, and show no secret', (_, options) => {
    const check = (): unknown =>
      checkRemoteOptions({ namespace: NAMESPACE, ...options } as RemoteLeaseStoreOptions);
    expect(check).toThrow(InvalidOptionError);
    expect(check).not.toThrow(/hunter2/);
  });
});

const TOKEN = 'a-token-for-leases-of-shop';
const LONG: CallDeadline = { timeoutMs: 20_000, remainingMs: () => 20_000 };
const never = (): Promise<string> => new Promise(() => undefined);

describe('the calls of a remote lease store', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const refuseWith = (detail: string): Promise<string> =>
    serve((_, response) => response.writeHead(403).end(JSON.stringify({ detail })));

  const messageOf = async (call: Promise<unknown>): Promise<string> => {
    const error: unknown = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toHaveProperty('code', expect.stringMatching(/^SNOWFLAKE_STORE_/));
    return String((error as Error).stack) + JSON.stringify(error);
  };

  it('end at the deadline if the function token never settles', async () => {
    const calls = new ServiceCalls('the store', ['http://127.0.0.1:1'], never);
    const deadline = { timeoutMs: 1, remainingMs: () => 1 };
    await expect(calls.call('leases/shop', {}, deadline)).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
  });

  it('end when the store is closed while the function token has not settled', async () => {
    const calls = new ServiceCalls('the store', ['http://127.0.0.1:1'], never);
    const call = calls.call('leases/shop', {}, LONG);
    calls.close();
    await expect(call).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
  });

  it('show no token that no header can hold', async () => {
    const calls = new ServiceCalls('the store', ['http://127.0.0.1:1'], () => `${TOKEN}\n${TOKEN}`);
    expect(await messageOf(calls.call('leases/shop', {}, LONG))).not.toContain(TOKEN);
  });

  it.each([
    ['the text', () => JSON.parse(`hunter2 ${TOKEN}`) as string],
    ['the cause', () => Promise.reject(new Error('no token', { cause: new Error(TOKEN) }))],
    ['a text', () => Promise.reject(TOKEN as unknown as Error)],
  ])('show no token in %s of what the function token throws, but where that was', async (_, token) => {
    const calls = new ServiceCalls('the store', ['http://127.0.0.1:1'], token);
    const message = await messageOf(calls.call('leases/shop', {}, LONG));
    expect(message).toMatch(/the store can't be called: the function token threw (Syntax)?Error/);
    expect(message).not.toMatch(/hunter2|a-token/);
  });

  it('can be repeated after an answer that was cut short', async () => {
    const cut = await serve((request, response) => {
      response.setHeader('snowflake-call', String(request.headers['snowflake-call']));
      response.end('{"outcome":"new","workerI');
    });
    const calls = new ServiceCalls('the store', [cut], () => TOKEN);
    await expect(calls.call('leases/shop', {}, LONG)).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
      retryable: true,
    });
  });

  it('show no token that a gateway repeats', async () => {
    const gateway = await refuseWith(`Refused: Authorization Bearer ${TOKEN}`);
    const calls = new ServiceCalls('the store', [gateway], () => TOKEN);
    const message = await messageOf(calls.call('leases/shop', {}, LONG));
    expect(message).toContain('403');
    expect(message).not.toContain(TOKEN);
  });

  it('show no part of a password that the service repeats in a long reason', async () => {
    const gateway = await refuseWith(`${' '.repeat(470)}redis://user:the-password-of-the-database@host`);
    const calls = new ServiceCalls('the store', [gateway], () => TOKEN);
    expect(await messageOf(calls.call('leases/shop', {}, LONG))).not.toContain('the-password');
  });

  it.each([
    [2000, '1900'],
    [40, '30'],
    [0, '1'],
  ])('leave most of a call of %i ms to the store of the service', async (timeoutMs, expected) => {
    const sent: (string | null)[] = [];
    const environment: CallEnvironment = {
      ...realEnvironment,
      clock: { now: () => 0, schedule: () => ({ cancel: () => undefined }) },
      fetch: async (_, { headers }) => {
        sent.push(new Headers(headers).get('snowflake-timeout-ms'));
        return Response.json({});
      },
    };
    const calls = new ServiceCalls('the store', ['http://service'], () => undefined, environment);
    await messageOf(calls.call('leases/shop', {}, { timeoutMs, remainingMs: () => timeoutMs }));
    expect(sent).toEqual([expected]);
  });

  it('go on to the next address once if several fail together at one', async () => {
    const asked: string[] = [];
    const bad = (name: string): Promise<string> =>
      serve((_, response) => {
        asked.push(name);
        response.writeHead(503).end('{}');
      });
    const calls = new ServiceCalls('the store', [await bad('first'), await bad('second')], () => TOKEN);
    const call = (): Promise<string> => messageOf(calls.call('leases/shop', {}, LONG));
    await Promise.all([call(), call()]);
    await call();
    expect(asked).toEqual(['first', 'first', 'second']);
  });
});
