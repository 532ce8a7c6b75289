import { Module, type Type } from '@nestjs/common';
import helmet from 'helmet';
import { Redis } from 'ioredis';
import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { violationsOn } from '../../libs/snowflake-console/test/support/axe.js';
import { eventually } from '../../libs/snowflake-console/test/support/eventually.js';
import { SpecBrowser } from '../../libs/snowflake-console/test/support/spec-page.js';
import { HttpApp, PLATFORMS } from '../doors/http-apps.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';

const TAGS = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const HOSTILE = `${TAGS}\u202Egnp.exe\u202C`;
const SHOWN = `${TAGS}\\u202egnp.exe\\u202c`;
const LEASE = { windowMs: 60_000, possibleLoss: 'ignore' } as const;
const PAGES = ['decode', 'generate', 'layouts', 'time', 'workers'] as const;

let redis: RedisServer;
const browser = new SpecBrowser();
const holders: SnowflakeIdMaker[] = [];

beforeAll(async () => {
  redis = await startRedis();
  for (const holderName of ['orders-1', 'orders-2', 'billing-1', 'victim']) await hold(holderName);
  await holders[2]?.stop();
  await renameHolder('victim', HOSTILE);
});
afterAll(async () => {
  await Promise.all(holders.map((holder) => holder.stop()));
  await redis?.stop();
});

const storeOf = () => redisLeaseStore({ url: redis.url, namespace: 'shop' });

async function hold(holderName: string): Promise<void> {
  const holder = new SnowflakeIdMaker({ store: storeOf(), lease: LEASE, holderName });
  holders.push(holder);
  await holder.start();
}

/** What a process can do that may write to the registry. */
async function renameHolder(name: string, to: string): Promise<void> {
  const client = new Redis(redis.url);
  for (const key of await client.keys('*shop*')) {
    if ((await client.type(key)) !== 'hash') continue;
    for (const [field, value] of Object.entries(await client.hgetall(key))) {
      if (value.includes(name)) await client.hset(key, field, value.replace(name, to));
    }
  }
  await client.quit();
}

function appModule(): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: storeOf(), lease: LEASE, holderName: 'the-app' }),
      SnowflakeConsoleModule.forRoot({ path: '/snowflake', authorize: () => true }),
    ],
  })
  class AppModule {}
  return AppModule;
}

describe.each(PLATFORMS)('the page in a browser, mounted on %s', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await HttpApp.start(platform, appModule(), (nest) => {
      nest.use(helmet());
      nest.setGlobalPrefix('internal');
    });
  });
  afterAll(() => app?.stop());

  const open = (hash: string, width = 1280) =>
    browser.open(`${app.url}/internal/snowflake/`, hash, { viewport: { width, height: 900 } });

  it('shows the holders of a real registry, and a hostile name as text', async () => {
    const { page, complaints } = await open('#/workers');
    await page.locator('.worker-grid').waitFor();
    await eventually(async () => {
      const legend = (await page.locator('.legend').innerText()).replace(/\s+/g, ' ');
      expect(legend).toMatch(/^This process 1 Held \d+ Offline \d+ Released \d+ Never used 1,0\d\d$/);
    });
    await page.getByText('As a table').click();
    // The browser tells that the table is open in a task of its own.
    await eventually(async () => {
      const table = await page.getByRole('region', { name: 'Used worker IDs' }).innerText();
      for (const name of ['orders-1', 'orders-2', 'the-app', SHOWN]) expect(table).toContain(name);
    });
    expect(await page.locator('main img, main script').count()).toBe(0);
    await eventually(async () => expect(await page.title()).toBe('Workers · nestjs-snowflake'));
    expect(complaints).toEqual([]);
  });

  it('follows what happens', async () => {
    const { page } = await open('#/workers');
    await page.locator('.worker-grid').waitFor();
    await page.getByText('As a table').click();
    const late = new SnowflakeIdMaker({ store: storeOf(), lease: LEASE, holderName: `late-${platform}` });
    await late.start();
    await page.getByText(`late-${platform}`).first().waitFor();
    await late.stop();
    await eventually(async () =>
      expect(await page.locator('main').innerText()).not.toContain(`late-${platform}`),
    );
  });

  it('makes IDs of the app, and decodes them as IDs of its worker', async () => {
    const { page, complaints } = await open('#/generate');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Decode these IDs').click();
    await page.getByText('IDs found: 10').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(PAGES)('%s breaks no rule of the policy, asks nobody else, and axe finds nothing', async (name) => {
    for (const width of [1280, 360]) {
      const { page, complaints } = await open(`#/${name}`, width);
      // The stream of that page never ends.
      if (name === 'workers') await page.locator('.worker-grid').waitFor();
      else await page.waitForLoadState('networkidle');
      expect(await violationsOn(page)).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });

  it('would be seen to break the policy (control)', async () => {
    const { page, complaints } = await open('#/time');
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'owned = 1' }))`,
    );
    await eventually(async () =>
      expect(complaints).toEqual([expect.stringContaining('Content Security Policy')]),
    );
  });
});
