import { Module, type Type } from '@nestjs/common';
import { SnowflakeModule } from 'nestjs-snowflake';
import { type Clock, systemClock } from 'nestjs-snowflake/core';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { SpecBrowser } from '../../libs/snowflake-console/test/support/spec-page.js';
import { HttpApp } from '../adapters/http-apps.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';

const MINUTES_MS = 60_000;
const LEASE = { possibleLoss: 'ignore' } as const;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

const STORES: readonly (readonly [string, () => Promise<() => LeaseStore>])[] = [
  ['Redis', async () => () => redisLeaseStore({ url: redis.url, namespace: 'shop' })],
  ['PostgreSQL', async () => sqlStores(await databaseFor('postgres', 'wrong clocks'))],
  ['MariaDB', async () => sqlStores(await databaseFor('mariadb', 'wrong clocks'))],
];

function sqlStores(url: string): () => LeaseStore {
  return () => sqlLeaseStore({ url, namespace: 'shop', createTable: true });
}

/** The clock of a host that is off by so much. */
function clockOff(aheadMs: number): Clock {
  return { ...systemClock, now: () => systemClock.now() + aheadMs };
}

function appOn(store: LeaseStore): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store, lease: LEASE, holderName: 'console-app' }),
      SnowflakeConsoleModule.forRoot({ path: '/snowflake', authorize: () => true }),
    ],
  })
  class AppModule {}
  return AppModule;
}

describe.each(STORES)('a console on %s', (_, storesOf) => {
  const browser = new SpecBrowser();
  let app: HttpApp;
  let makeStore: () => LeaseStore;
  const others: SnowflakeIdMaker[] = [];
  beforeAll(async () => {
    makeStore = await storesOf();
    app = await HttpApp.start('Express', appOn(makeStore()));
  });
  afterAll(async () => {
    await Promise.all(others.map((maker) => maker.stop()));
    await app?.stop();
  });

  /** Starts an ID maker as another process has it, and renews its lease. */
  async function startHolder(holderName: string, aheadMs: number): Promise<void> {
    const maker = new SnowflakeIdMaker(
      { store: makeStore(), lease: LEASE, holderName },
      { clock: clockOff(aheadMs) },
    );
    others.push(maker);
    await maker.start();
    await maker.renew();
  }

  it('names every process whose clock is wrong, wherever it runs', async () => {
    await startHolder('good', 0);
    await startHolder('behind', -8 * MINUTES_MS - 1000);
    await startHolder('ahead', 12 * MINUTES_MS + 1000);
    const { page, complaints } = await browser.open(`${app.url}/snowflake/`, '#/workers');
    const alert = page.getByRole('alert').filter({ hasText: '2 clocks differ' });
    await alert.waitFor();
    const text = await alert.innerText();
    expect(text).toMatch(/behind \(8 min\b[^)]*behind\).*ahead \(12 min\b[^)]*ahead\)/);
    expect(text).not.toContain('good');
    // A search unfolds the services of its processes.
    await page.getByRole('searchbox').fill('d');
    const rowOf = (name: string) =>
      page.locator('tr.process', { has: page.getByText(name, { exact: true }) });
    expect(await rowOf('behind').innerText()).toContain('8 min');
    expect(await rowOf('ahead').innerText()).toContain('12 min');
    expect(await rowOf('good').locator('.chip.is-warning').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
