import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memorySegmentStore, Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { remoteSegmentStore } from 'nestjs-snowflake-segments/remote';
import type { SegmentStore } from 'nestjs-snowflake-segments/store';
import { segmentStoreContract } from 'nestjs-snowflake-segments/store-testing';
import { Client } from 'pg';
import { type HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import { concurrentCases } from '../../../test/support/concurrent-cases.js';
import { databaseFor, freePort } from '../../../test/support/servers/index.js';
import { cleanUpAfterEach } from '../../../test/support/clean-up.js';
import { FaultyProxy } from '../../../test/support/proxies/faulty-proxy.js';
import {
  CALL_MS,
  IDS_TOKEN,
  segmentStoreOfTests,
  send,
  startService,
  TICKET_TOKEN,
  TOKEN,
} from './service-app.js';

/** More than the contract has cases: each needs a store without tags. */
const NAMESPACES = 40;
const cases = concurrentCases(8);
const urls: Record<string, string> = {};
let tables = 0;

beforeAll(async () => {
  urls['PostgreSQL'] = await databaseFor('postgres', 'claims over the network');
  urls['MariaDB'] = await databaseFor('mariadb', 'claims over the network');
});

const newTable = (): string => `claims_${(tables += 1)}`;
const sqlStore = (place: string, tableName: string): SegmentStore =>
  sqlSegmentStore({ url: urls[place], tableName, createTable: true });

/** Makes the stores of two services on one set of tags. */
const STORES: Readonly<Record<string, () => readonly [SegmentStore, SegmentStore]>> = {
  memory() {
    const store = segmentStoreOfTests();
    return [store, store];
  },
  PostgreSQL() {
    const table = newTable();
    return [sqlStore('PostgreSQL', table), sqlStore('PostgreSQL', table)];
  },
  MariaDB() {
    const table = newTable();
    return [sqlStore('MariaDB', table), sqlStore('MariaDB', table)];
  },
};

const remoteAt = (url: string, options: object = {}): SegmentStore =>
  remoteSegmentStore({ url, token: TOKEN, namespace: 'shop', ...options });

for (const [name, makeStores] of Object.entries(STORES)) {
  describe(`a remote segment store over ${name} [promise: segments]`, () => {
    let services: Promise<readonly [HttpApp, HttpApp]> | undefined;
    let used = 0;
    const startBoth = (): Promise<readonly [HttpApp, HttpApp]> => {
      const pairs = Array.from({ length: NAMESPACES }, makeStores);
      const start = (at: 0 | 1): Promise<HttpApp> => {
        const segments = Object.fromEntries(pairs.map((pair, index) => [`case-${index}`, pair[at]]));
        return startService(PLATFORMS[at]!, { segments, callTimeoutMs: 20_000 });
      };
      return Promise.all([start(0), start(1)]);
    };
    afterAll(async () => {
      for (const service of (await services) ?? []) await service.stop();
    });

    segmentStoreContract(async () => {
      services ??= startBoth();
      const namespace = `case-${used}`;
      used += 1;
      const [store, other] = (await services).map(({ url }) => remoteAt(url, { namespace })) as [
        SegmentStore,
        SegmentStore,
      ];
      for (const each of [store, other]) each.open?.({ callTimeoutMs: 20_000 });
      return { store, other, dispose: async () => void (await Promise.all([store.close(), other.close()])) };
    }, cases);
  });
}

const claimOf = (token: string) => ({ tag: 'ticket', token, count: 10, finished: [] });

describe.each(PLATFORMS)('segments claimed through two services on %s [promise: segments]', (platform) => {
  let services: readonly HttpApp[];
  let table: string;
  const openSegments: Segments[] = [];
  const segmentsAt = async (url: string): Promise<Segments> => {
    const segments = new Segments({ store: remoteAt(url), tags: ['ticket'] });
    openSegments.push(segments);
    await segments.start();
    return segments;
  };
  beforeEach(async () => {
    table = newTable();
    const serve = (): Promise<HttpApp> =>
      startService(platform, {
        segments: { shop: sqlStore('PostgreSQL', table) },
        callTimeoutMs: CALL_MS,
      });
    services = [await serve(), await serve()];
  });
  afterEach(async () => {
    await Promise.all(openSegments.splice(0).map((segments) => segments.stop()));
    await Promise.all(services.map((service) => service.stop()));
  });

  it('give each process numbers of its own, and get the unused ones back when it stops', async () => {
    const clients = await Promise.all(services.map(({ url }) => segmentsAt(url)));
    const numbers: number[] = [];
    for (const count of [1, 40, 400, 2000]) {
      for (const client of clients) {
        const source = client.source('ticket');
        await source.ready(count);
        numbers.push(...source.nextMany(count));
      }
    }
    expect(new Set(numbers).size).toBe(numbers.length);
    await Promise.all(clients.map((client) => client.stop()));
    const later = await segmentsAt(services[0]!.url);
    const missing = Math.max(...numbers) - numbers.length;
    const source = later.source('ticket');
    await source.ready(missing + 1);
    const rest = source.nextMany(missing + 1);
    expect([...numbers, ...rest].toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: numbers.length + rest.length }, (_, at) => at + 1),
    );
  });

  it('end after a loss with its reason, until an operator resumes them through a service', async () => {
    const [{ url }] = services as readonly [HttpApp];
    const store = remoteAt(url);
    store.open?.({ callTimeoutMs: CALL_MS });
    await store.create({ tag: 'ticket', first: 1, step: 1000 });
    await store.claim(claimOf('one'));
    const client = new Client({ connectionString: urls['PostgreSQL'] });
    await client.connect();
    await client.query(`UPDATE ${table} SET max_id = 5`);
    await client.end();
    await expect(segmentsAt(url)).rejects.toMatchObject({
      code: 'SNOWFLAKE_HISTORY_CHANGED',
      reason: 'restored',
    });
    expect((await store.inspect()).lost).toBe('restored');
    await expect(store.resume({})).resolves.toEqual({ outcome: 'missing', tags: ['ticket'] });
    await new Segments({ store: remoteAt(url) }).resume({ ticket: 10 });
    expect((await segmentsAt(url)).source('ticket').next()).toBe(11);
  });
});

describe('segments claimed over the network [promise: segments]', () => {
  let service: HttpApp;
  let store: SegmentStore;
  beforeEach(async () => {
    service = await startService('Express', { segments: { shop: segmentStoreOfTests() } });
    store = remoteAt(service.url);
    await store.create({ tag: 'ticket', first: 1, step: 1000 });
  });
  afterEach(async () => {
    await store.close();
    await service.stop();
  });
  const cleanUp = cleanUpAfterEach();

  async function startProxy(): Promise<FaultyProxy> {
    const proxy = await FaultyProxy.start(service.url);
    cleanUp(() => proxy.close());
    return proxy;
  }

  it('come from no repeated response to another claim', async () => {
    const proxy = await startProxy();
    proxy.repeat('as it was');
    const behindProxy = remoteAt(proxy.url);
    await expect(behindProxy.claim(claimOf('one'))).resolves.toMatchObject({ first: 1, count: 10 });
    await expect(behindProxy.claim(claimOf('two'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
  });

  it('repeat in two processes when a repeated response has the name of their call (control)', async () => {
    const proxy = await startProxy();
    proxy.repeat('under the name of the call');
    const behindProxy = remoteAt(proxy.url);
    const claims = [await behindProxy.claim(claimOf('one')), await behindProxy.claim(claimOf('two'))];
    expect(claims[0]).toEqual(claims[1]);
  });

  it('stay the same when a claim is retried at another address after a lost response', async () => {
    const proxy = await startProxy();
    proxy.loseResponses();
    const segments = new Segments({
      store: remoteAt('', { url: undefined, urls: [proxy.url, service.url] }),
      tags: ['ticket'],
    });
    try {
      await segments.start();
      expect(segments.source('ticket').next()).toBe(1);
      expect(proxy.lost.join()).toContain('granted');
      const [ticket] = (await store.inspect()).tags;
      expect(ticket?.held).toHaveLength(1);
    } finally {
      await segments.stop();
    }
  });

  it('come from the next address after a call that failed', async () => {
    const several = remoteAt('', {
      url: undefined,
      urls: [`http://127.0.0.1:${await freePort()}`, service.url],
    });
    await expect(several.claim(claimOf('one'))).rejects.toMatchObject({ retryable: true });
    await expect(several.claim(claimOf('one'))).resolves.toMatchObject({ outcome: 'granted' });
  });

  it.each([
    ['without a token', { token: undefined }],
    ['with an unknown token', { token: 'an-unknown-token-of-nobody' }],
    ['with a token for something else', { token: IDS_TOKEN }],
    ['with a token for numbers of the tag', { token: TICKET_TOKEN }],
    ['with a namespace that is not served', { namespace: 'another' }],
  ])('fail for good %s', async (_, options) => {
    await expect(remoteAt(service.url, options).claim(claimOf('one'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
    });
  });

  it('end at the deadline if the service does not answer', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const deadline = { timeoutMs: 200, remainingMs: () => 200 };
    try {
      await expect(
        remoteAt(`http://127.0.0.1:${port}`).claim(claimOf('one'), deadline),
      ).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    } finally {
      silent.close().closeAllConnections();
    }
  });

  const REST = { tag: 'ticket', token: 'one', first: 1, count: 1 };
  it.each([
    ['a claim of no numbers', '', { ...claimOf('one'), count: 0 }],
    ['a claim of 2^53 numbers', '', { ...claimOf('one'), count: 2 ** 53 }],
    ['a claim of part of a number', '', { ...claimOf('one'), count: 1.5 }],
    ['a claim without a token', '', { ...claimOf('one'), token: '' }],
    ['a claim with a token that no column holds', '', claimOf('x'.repeat(65))],
    ['a claim of a tag that is no name', '', { ...claimOf('one'), tag: 'a tag' }],
    ['a claim with an unknown field', '', { ...claimOf('one'), colour: 'red' }],
    ['a claim with finished tokens that are no list', '', { ...claimOf('one'), finished: 'all' }],
    ['a claim with a finished token that is a number', '', { ...claimOf('one'), finished: [1] }],
    ['a return of nothing', '/return', { rests: [] }],
    ['a return of too many', '/return', { rests: Array.from({ length: 1001 }, () => REST) }],
    ['a return of a negative number', '/return', { rests: [{ ...REST, first: -1 }] }],
    ['a return of no object', '/return', { rests: ['one'] }],
    ['a tag that starts at zero', '/tags', { tag: 'other', first: 0, step: 1 }],
    ['a tag with a long description', '/tags', { tag: 'o', first: 1, step: 1, description: 'x'.repeat(257) }],
    ['a resumption without numbers', '/resume', {}],
    ['a resumption with text', '/resume', { highest: { ticket: '5' } }],
  ])('refuse %s', async (_, path, body) => {
    const answer = await send(service, `v1/claims/shop${path}`, { body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'SNOWFLAKE_INVALID_REQUEST' } });
  });

  it.each([
    ['a claim', '', claimOf('one')],
    ['a return', '/return', { rests: [REST] }],
    ['a new tag', '/tags', { tag: 'other', first: 1, step: 1 }],
    ['a resumption', '/resume', { highest: {} }],
  ])('refuse %s without a name of the call, which a client can not check', async (_, path, body) => {
    const answer = await send(service, `v1/claims/shop${path}`, { body, call: '' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'SNOWFLAKE_INVALID_REQUEST' } });
    expect(answer.body.detail).toContain('Snowflake-Call');
  });
});

describe('the segments of a service', () => {
  const several = (): SegmentStore =>
    sqlSegmentStore({ dataSources: [{ type: 'postgres' }, { type: 'mariadb' }], stride: 2 });
  it.each([
    ['a store in memory', memorySegmentStore],
    ['a store on several databases', several],
    ['an object that is no store', () => ({}) as never],
  ])('can not come from %s', async (_, makeStore) => {
    await expect(startService('Express', { segments: { shop: makeStore() } })).rejects.toMatchObject({
      code: 'SNOWFLAKE_INVALID_OPTION',
      option: 'segments.shop',
    });
  });
});
