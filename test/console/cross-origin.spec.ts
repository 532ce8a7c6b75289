import type { INestApplication } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../../libs/snowflake-console/test/support/browser.js';
import { HttpApp, PLATFORMS } from '../doors/http-apps.js';
import { ask, FROM_THE_PAGE, startOpenApp } from './support/console-app.js';

const DATA = ['app', 'series', 'events'].map((name) => `/snowflake/api/${name}`);
const BODY = JSON.stringify({ maker: 'default', count: 2 });

const FORWARDED = { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' };

/** The most careless settings an app can have: every website, with cookies. */
const allowEverybody = (nest: INestApplication): void => nest.enableCors({ origin: true, credentials: true });

const corsHeadersOf = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe.each(PLATFORMS)(
  'a page of another origin, and an app on %s that allows every origin',
  (platform) => {
    let app: HttpApp;
    beforeAll(async () => {
      app = await startOpenApp(platform, allowEverybody);
    });
    afterAll(() => app.stop());

    const issued = (): number => app.app.get(SnowflakeIdMaker).status().issued;
    const makeIds = (headers: Record<string, string>): Promise<Response> =>
      ask(app, '/snowflake/api/ids', {
        method: 'POST',
        headers: { ...FROM_THE_PAGE, ...headers },
        body: BODY,
      });

    it.each<[string, Record<string, string>]>([
      ['of another host', { origin: 'http://evil.example' }],
      ['of another port', { origin: 'http://127.0.0.1:1' }],
      ['that keeps its origin to itself', { origin: 'null' }],
      ['that has no host', { origin: 'file://' }],
      ['that names itself as the forwarded host', FORWARDED],
      ['that the browser marks', { 'sec-fetch-site': 'cross-site' }],
      ['of another port, which the browser marks', { 'sec-fetch-site': 'same-site' }],
    ])('%s gets no data and makes no IDs', async (_what, headers) => {
      const before = issued();
      for (const answer of [
        ...(await Promise.all(DATA.map((path) => ask(app, path, { headers })))),
        await makeIds(headers),
      ]) {
        expect([answer.status, corsHeadersOf(answer)]).toEqual([403, []]);
        expect(await answer.json()).toMatchObject({ code: 'CONSOLE_CROSS_SITE' });
      }
      expect(issued()).toBe(before);
    });

    // Control: the same requests from the console's own page, and from tools, which send no origin.
    it.each<[string, () => Record<string, string>]>([
      ['its own page', () => ({ origin: app.url })],
      ['its own page, which the browser marks', () => ({ origin: app.url, 'sec-fetch-site': 'same-origin' })],
      ['a tool', () => ({})],
    ])('is told from %s', async (_what, headers) => {
      expect((await ask(app, '/snowflake/api/app', { headers: headers() })).status).toBe(200);
      const made = await makeIds(headers());
      expect([made.status, corsHeadersOf(made)]).toEqual([200, []]);
    });
  },
);

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

// Names other than localhost, because browsers trust that one and mark where its requests come from.
describe.each(PLATFORMS)(
  'in a browser over plain HTTP, an app on %s that allows every origin',
  (platform) => {
    let app: HttpApp;
    let browser: Browser;
    let evil: Server;
    /** What the browser has said of each request that the app got. */
    let marks: unknown[] = [];
    beforeAll(async () => {
      browser = await openBrowser('--host-resolver-rules=MAP *.example 127.0.0.1');
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
      await browser?.close();
      await app?.stop();
    });

    const issued = (): number => app.app.get(SnowflakeIdMaker).status().issued;
    const console = (): string => `http://shop.example:${new URL(app.url).port}/snowflake/`;

    async function attackFrom(url: string): Promise<readonly string[]> {
      const page = await browser.newPage();
      await page.goto(url);
      marks = [];
      const outcomes = await page.evaluate(attack, console());
      // Or else the browser trusts the name, and this test shows nothing.
      expect(new Set(marks)).toEqual(new Set([undefined]));
      await page.close();
      return outcomes;
    }

    it('gives another website nothing', async () => {
      const before = issued();
      const { port } = evil.address() as AddressInfo;
      expect(await attackFrom(`http://evil.example:${port}/`)).toEqual(Array(4).fill('unreadable'));
      expect(issued()).toBe(before);
    });

    it('gives its own page everything (control)', async () => {
      const before = issued();
      const all = ['readable: 200', 'readable: 200', 'readable: 200', 'readable'];
      expect(await attackFrom(console())).toEqual(all);
      expect(issued()).toBe(before + 2);
    });
  },
);
