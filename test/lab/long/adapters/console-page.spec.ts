import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module, type Type } from '@nestjs/common';
import helmet from 'helmet';
import { Redis } from 'ioredis';
import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { violationsOn } from '../../../../libs/snowflake-console/test/support/axe.js';
import { eventually } from '../../../../libs/snowflake-console/test/support/eventually.js';
import { SpecBrowser } from '../../../../libs/snowflake-console/test/support/spec-page.js';
import { HttpApp, PLATFORMS } from '../../../adapters/http-apps.js';
import { type RedisServer, startRedis } from '../../../support/servers/index.js';
import { allowEverybody, startOpenApp } from '../../../console/support/console-app.js';

const TAGS = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const HOSTILE = `${TAGS}\u202Egnp.exe\u202C`;
const SHOWN = `${TAGS}\\u202egnp.exe\\u202c`;
const LEASE = { windowMs: 60_000, possibleLoss: 'ignore' } as const;

let redis: RedisServer;
// Names other than localhost, because browsers trust that one and mark where its requests come from.
const browser = new SpecBrowser('--host-resolver-rules=MAP *.example 127.0.0.1');
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

  const open = (hash: string) => browser.open(`${app.url}/internal/snowflake/`, hash);

  it('shows the holders of a real registry as they come and go, and a hostile name as text', async () => {
    const { page, complaints } = await open('#/workers');
    await page.getByText('Worker IDs of the namespace').click();
    await eventually(async () => {
      const legend = (await page.locator('.legend').innerText()).replace(/\s+/g, ' ');
      expect(legend).toMatch(/^This process 1 Held \d+ Offline \d+ Released \d+ Never used 1,0\d\d$/);
    });
    for (const service of await page.locator('.unfold').all()) await service.click();
    await eventually(async () => {
      const table = await page.getByRole('region', { name: 'Used worker IDs' }).innerText();
      for (const name of ['orders-1', 'orders-2', 'the-app', SHOWN]) expect(table).toContain(name);
    });
    const late = new SnowflakeIdMaker({ store: storeOf(), lease: LEASE, holderName: `late-${platform}` });
    await late.start();
    await page.getByText(`late-${platform}`).first().waitFor();
    await late.stop();
    await eventually(async () =>
      expect(await page.locator('main').innerText()).not.toContain(`late-${platform}`),
    );
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Workers · nestjs-snowflake');
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('generates and decodes IDs of the app, and breaks no rule of the policy on any page', async () => {
    const { page, complaints } = await open('#/generate');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Decode these IDs').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByText('Decode these IDs').click();
    await page.getByText('IDs found: 10').first().waitFor();
    for (const name of ['Layouts', 'Time']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  it('reports a script that breaks the policy (control)', async () => {
    const { page, complaints } = await open('#/time');
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'owned = 1' }))`,
    );
    await eventually(async () =>
      expect(complaints).toEqual([expect.stringContaining('Content Security Policy')]),
    );
  });
});

/** Everything a page can do to a console of another origin. */
async function attack(console: string): Promise<readonly string[]> {
  const outcomeOf = (path: string, options: RequestInit = {}): Promise<string> =>
    fetch(`${console}${path}`, { credentials: 'include', ...options }).then(
      ({ status }) => `readable: ${status}`,
      () => 'unreadable',
    );
  const headers = { 'content-type': 'application/json', 'x-snowflake-console': '1' };
  const body = JSON.stringify({ maker: 'default', count: 2 });
  const watched = new Promise<string>((resolve) => {
    const source = new EventSource(`${console}api/events`);
    source.addEventListener('watch', () => resolve('readable'));
    source.addEventListener('error', () => resolve('unreadable'));
  });
  return [
    await outcomeOf(''),
    await outcomeOf('api/app'),
    await outcomeOf('api/ids', { method: 'POST', headers, body }),
    await watched,
  ];
}

describe.each(PLATFORMS)(
  'an app on %s that allows every origin, in a browser over plain HTTP',
  (platform) => {
    let app: HttpApp;
    let evil: Server;
    /** The Sec-Fetch-Site header of each request that the app got. */
    let marks: unknown[] = [];
    beforeAll(async () => {
      app = await startOpenApp(platform, (nest) => {
        nest.use(({ headers }: IncomingMessage, _response: unknown, next: () => void) => {
          marks.push(headers['sec-fetch-site']);
          next();
        });
        allowEverybody(nest);
      });
      evil = createServer((_request, response) => void response.end('<h1>Win a prize</h1>'));
      await new Promise<void>((resolve) => {
        evil.listen(0, '127.0.0.1', resolve);
      });
    });
    afterAll(async () => {
      evil?.closeAllConnections();
      evil?.close();
      await app?.stop();
    });

    const issued = (): number => app.app.get(SnowflakeIdMaker).status().issued;
    const console = (): string => `http://shop.example:${new URL(app.url).port}/snowflake/`;

    async function attackFrom(url: string): Promise<readonly string[]> {
      const { page } = await browser.open(url);
      marks = [];
      const outcomes = await page.evaluate(attack, console());
      // Or else the browser trusts the name, and this test shows nothing.
      expect(new Set(marks)).toEqual(new Set([undefined]));
      return outcomes;
    }

    it('refuses requests from pages of another website', async () => {
      const before = issued();
      const { port } = evil.address() as AddressInfo;
      expect(await attackFrom(`http://evil.example:${port}/`)).toEqual(Array(4).fill('unreadable'));
      expect(issued()).toBe(before);
    });

    it('accepts the same requests from its own page (control)', async () => {
      const before = issued();
      const all = ['readable: 200', 'readable: 200', 'readable: 200', 'readable'];
      expect(await attackFrom(console())).toEqual(all);
      expect(issued()).toBe(before + 2);
    });
  },
);
