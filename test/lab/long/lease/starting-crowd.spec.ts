import { SnowflakeIdMaker, type LeaseStore } from 'nestjs-snowflake/standalone';
import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { DistantNetwork } from '../../../support/proxies/distant-network.js';
import { startEtcd, startMariaDb, startPostgres } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';

const HOLDERS = 20;
const NEWCOMERS = 200;
const ONE_WAY_MS = 5;
const WITHIN_MS = 45_000;
const LEASE = { possibleLoss: 'ignore' } as const;

interface Place {
  readonly port: number;
  stop(): Promise<void>;
}

const STORES: readonly (readonly [string, () => Promise<Place>, (port: number) => LeaseStore])[] = [
  [
    'PostgreSQL',
    () => startPostgres({ settings: { max_connections: '300' } }),
    (port) =>
      sqlLeaseStore({
        url: `postgres://postgres@127.0.0.1:${port}/postgres`,
        namespace: 'crowd',
        createTable: true,
      }),
  ],
  [
    'MariaDB',
    () => startMariaDb({ settings: { 'max-connections': '300' } }),
    (port) =>
      sqlLeaseStore({
        url: `mysql://snowflake:snowflake@127.0.0.1:${port}/test`,
        namespace: 'crowd',
        createTable: true,
      }),
  ],
  [
    'etcd',
    async () => {
      const etcd = await startEtcd();
      return { port: Number(new URL(etcd.url).port), stop: () => etcd.stop() };
    },
    (port) => etcdLeaseStore({ url: `http://127.0.0.1:${port}`, namespace: 'crowd' }),
  ],
];

describe.each(STORES)('a crowd 10 ms away from %s', (_, startServer, storeAt) => {
  let place: Place;
  let network: DistantNetwork;
  let makers: SnowflakeIdMaker[] = [];

  beforeAll(async () => {
    place = await startServer();
    network = await DistantNetwork.start(place.port);
  });
  afterEach(async () => {
    await Promise.all(makers.map((maker) => maker.stop()));
    makers = [];
    network.oneWayMs = 0;
  });
  afterAll(async () => {
    await network?.close();
    await place?.stop();
  });

  function some(count: number): SnowflakeIdMaker[] {
    const made = Array.from(
      { length: count },
      () => new SnowflakeIdMaker({ store: storeAt(network.port), lease: LEASE }),
    );
    makers = [...makers, ...made];
    return made;
  }

  const active = (of: readonly SnowflakeIdMaker[]): number =>
    of.filter((maker) => maker.status().state === 'active').length;

  it('gets a worker ID each if it starts at once, while those that hold one keep it', async () => {
    const holders = some(HOLDERS);
    await Promise.all(holders.map((maker) => maker.start()));
    let lost = 0;
    for (const maker of holders) maker.subscribe(({ type }) => void (lost += type === 'lost' ? 1 : 0));
    network.oneWayMs = ONE_WAY_MS;
    const newcomers = some(NEWCOMERS);
    const starts = Promise.all(newcomers.map((maker) => maker.start()));
    starts.catch(() => undefined);
    await waitFor('all leases of the crowd', WITHIN_MS, () => active(newcomers) === NEWCOMERS);
    await starts;
    expect([active(holders), lost]).toEqual([HOLDERS, 0]);
    expect(new Set(makers.map((maker) => maker.status().workerId)).size).toBe(HOLDERS + NEWCOMERS);
  }, 90_000);

  it('releases all of its worker IDs when it stops at once', async () => {
    const all = some(NEWCOMERS);
    await Promise.all(all.map((maker) => maker.start()));
    network.oneWayMs = ONE_WAY_MS;
    await Promise.all(all.map((maker) => maker.stop()));
    const [observer] = some(1);
    await observer?.start();
    const { rows } = (await observer?.inspect()) ?? {};
    const held = rows?.filter(({ fencingToken }) => fencingToken !== '').map(({ workerId }) => workerId);
    expect(held).toEqual([observer?.status().workerId]);
  }, 90_000);
});
