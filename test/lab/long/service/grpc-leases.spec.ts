import { setTimeout as delay } from 'node:timers/promises';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { leaseStoreContract, type StoreUnderTest } from 'nestjs-snowflake/store-testing';
import { concurrentCases } from '../../../support/concurrent-cases.js';
import { databaseFor } from '../../../support/servers/index.js';
import { type GrpcApp, startGrpc } from '../../../../libs/snowflake-service/test/grpc-app.js';
import { type Called, GrpcClient } from '../../../../libs/snowflake-service/test/grpc-client.js';
import { GrpcLeaseStore } from '../../../../libs/snowflake-service/test/grpc-lease-store.js';
import { IDS_TOKEN, storeOfTests, TOKEN } from '../../../../libs/snowflake-service/test/service-app.js';

const cases = concurrentCases(8);
/** Long enough for a machine on which every core is busy. */
const CALL_MS = 20_000;
let postgresUrl: string;
let namespaces = 0;

beforeAll(async () => {
  postgresUrl = await databaseFor('postgres', 'leases over gRPC');
});

const STORES: Readonly<Record<string, () => LeaseStore>> = {
  memory: storeOfTests,
  PostgreSQL: () =>
    sqlLeaseStore({ url: postgresUrl, namespace: `grpc-${(namespaces += 1)}`, createTable: true }),
};

async function storeOverGrpc(makeStore: () => LeaseStore): Promise<StoreUnderTest> {
  const service = await startGrpc({ service: { leases: { shop: makeStore() }, callTimeoutMs: CALL_MS } });
  const store = new GrpcLeaseStore(service.client, TOKEN);
  return { store, letPass: (ms) => delay(ms), dispose: () => service.stop() };
}

for (const [name, makeStore] of Object.entries(STORES)) {
  describe(`a lease store over gRPC and ${name} [promise: unique]`, () => {
    leaseStoreContract(() => storeOverGrpc(makeStore), cases);
  });
}

const requestOf = (holder: string) => ({
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: `0123456789abcdef:${holder}`,
  retry: false,
  assumeNew: true,
  searchSeed: 1,
});

/** A client behind something that answers each call with the first response that it has got. */
class RepeatingClient extends GrpcClient {
  private first: Promise<Called> | undefined;

  constructor(
    url: string,
    private readonly renames: boolean,
  ) {
    super(url);
  }

  override async call(...given: Parameters<GrpcClient['call']>): Promise<Called> {
    this.first ??= super.call(...given);
    const first = await this.first;
    const { call } = given[1] as { call: string };
    return this.renames ? { ...first, response: { ...first.response, call } } : first;
  }
}

describe('leases over gRPC [promise: unique]', () => {
  let service: GrpcApp;
  const clients: GrpcClient[] = [];
  const storeWith = (client: GrpcClient, token = TOKEN): LeaseStore => {
    clients.push(client);
    return new GrpcLeaseStore(client, token);
  };

  beforeEach(async () => {
    service = await startGrpc({ service: { leases: { shop: storeOfTests() } } });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await service.stop();
  });

  it('give each ID maker a worker ID of its own, and get it back when it stops', async () => {
    const makers = [1, 2].map(
      () =>
        new SnowflakeIdMaker({
          store: storeWith(new GrpcClient(service.url)),
          lease: { possibleLoss: 'ignore' },
        }),
    );
    await Promise.all(makers.map((maker) => maker.start()));
    const ids = makers.flatMap((maker) => maker.nextIds(10_000));
    expect(new Set(ids).size).toBe(20_000);
    const held = async (): Promise<number> =>
      (await storeWith(service.client).inspect()).rows.filter(({ fencingToken }) => fencingToken !== '')
        .length;
    expect(await held()).toBe(2);
    await Promise.all(makers.map((maker) => maker.stop()));
    expect(await held()).toBe(0);
  });

  it('refuse a response to another call, such as a repeated grant', async () => {
    const store = storeWith(new RepeatingClient(service.url, false));
    await expect(store.lease(requestOf('one'))).resolves.toMatchObject({ outcome: 'new', workerId: 0 });
    await expect(store.lease(requestOf('two'))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
  });

  it('would give one worker ID to two processes if a response could be repeated (control)', async () => {
    const store = storeWith(new RepeatingClient(service.url, true));
    const grants = [await store.lease(requestOf('one')), await store.lease(requestOf('two'))];
    expect(grants[0]).toEqual(grants[1]);
  });

  it('are refused for good to who holds a token for something else', async () => {
    const store = storeWith(new GrpcClient(service.url), IDS_TOKEN);
    await expect(store.lease(requestOf('one'))).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED' });
  });
});
