import { Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { DistantNetwork } from '../../../support/proxies/distant-network.js';
import { startMariaDb, startPostgres } from '../../../support/servers/index.js';

const NEWCOMERS = 200;
const ONE_WAY_MS = 5;

interface Place {
  readonly port: number;
  stop(): Promise<void>;
}

const DATABASES: readonly (readonly [string, () => Promise<Place>, (port: number) => string])[] = [
  [
    'PostgreSQL',
    () => startPostgres({ settings: { max_connections: '300' } }),
    (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
  ],
  [
    'MariaDB',
    () => startMariaDb({ settings: { 'max-connections': '300' } }),
    (port) => `mysql://snowflake:snowflake@127.0.0.1:${port}/test`,
  ],
];

describe.each(DATABASES)('a crowd 10 ms away from %s [promise: segments]', (_, startServer, urlAt) => {
  let place: Place;
  let network: DistantNetwork;
  let crowd: Segments[] = [];

  beforeAll(async () => {
    place = await startServer();
    network = await DistantNetwork.start(place.port);
    // Creates the tables and the tag.
    const first = segments();
    await first.start();
    await first.stop();
  });
  afterEach(async () => {
    await Promise.all(crowd.map((one) => one.stop()));
    crowd = [];
  });
  afterAll(async () => {
    await network?.close();
    await place?.stop();
  });

  function segments(): Segments {
    const store = sqlSegmentStore({ url: urlAt(network.port), createTable: true });
    return new Segments({ store, tags: ['order'] });
  }

  it('claims different numbers of one tag within the time of a start', async () => {
    network.oneWayMs = ONE_WAY_MS;
    crowd = Array.from({ length: NEWCOMERS }, segments);
    await Promise.all(crowd.map((one) => one.start()));
    const numbers = crowd.map((one) => one.source('order').next());
    expect(new Set(numbers).size).toBe(NEWCOMERS);
  }, 90_000);
});
