import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { HttpApp, PLATFORMS } from '../doors/http-apps.js';
import { appModule, ask, askForIds, FROM_THE_PAGE, startOpenApp } from './support/console-app.js';

const RIGHT = { maker: 'default', count: 1 };

let app: HttpApp;
const issued = (): number => app.app.get(SnowflakeIdMaker).status().issued;

describe.each(PLATFORMS)('a request to make IDs in an app on %s', (platform) => {
  beforeAll(async () => {
    app = await startOpenApp(platform);
  });
  afterAll(() => app.stop());

  it.each<[string, number, unknown, object?]>([
    ['too many', 400, { ...RIGHT, count: 1001 }],
    ['none', 400, { ...RIGHT, count: 0 }],
    ['a part of one', 400, { ...RIGHT, count: 1.5 }],
    ['a text for a number', 400, { ...RIGHT, count: '1' }],
    ['an unknown maker', 404, { ...RIGHT, maker: '__proto__' }],
    ['a maker with a long name', 400, { ...RIGHT, maker: 'm'.repeat(65) }],
    ['no maker', 400, { count: 1 }],
    ['more than it knows', 400, { ...RIGHT, workerId: 3 }],
    ['an array', 400, [RIGHT]],
    ['no JSON', 400, '{'],
    ['a large body', 413, { ...RIGHT, maker: 'm'.repeat(2000) }],
    ['the content type of a form', 415, RIGHT, { ...FROM_THE_PAGE, 'content-type': 'text/plain' }],
    ['no header of the page', 403, RIGHT, { 'content-type': 'application/json' }],
    ['the origin of another site', 403, RIGHT, { ...FROM_THE_PAGE, 'sec-fetch-site': 'cross-site' }],
    ['the origin of another subdomain', 403, RIGHT, { ...FROM_THE_PAGE, 'sec-fetch-site': 'same-site' }],
  ])('with %s gets %i, and no ID is used', async (_what, status, body, headers = FROM_THE_PAGE) => {
    const before = issued();
    expect((await askForIds(app, body, headers)).status).toBe(status);
    expect(issued()).toBe(before);
  });

  // Control: the same request without the mistake.
  it('that is right gets its IDs', async () => {
    const before = issued();
    const headers = { ...FROM_THE_PAGE, 'sec-fetch-site': 'same-origin' };
    expect((await askForIds(app, { maker: 'default', count: 1000 }, headers)).status).toBe(200);
    expect(issued()).toBe(before + 1000);
  });

  it('is refused with the time to wait if there are too many', async () => {
    const generate = { perMinute: 2, maxCount: 5 };
    const slow = await HttpApp.start(
      platform,
      appModule(SnowflakeConsoleModule.forRoot({ authorize: () => true, generate })),
    );
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await askForIds(slow, RIGHT)).status);
    const refused = await askForIds(slow, RIGHT);
    await slow.stop();
    expect(statuses).toEqual([200, 200, 429]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is refused if generating is switched off, which the page is told', async () => {
    const off = await HttpApp.start(
      platform,
      appModule(SnowflakeConsoleModule.forRoot({ authorize: () => true, generate: false })),
    );
    const made = await askForIds(off, RIGHT);
    const facts = (await (await ask(off, '/snowflake/api/app')).json()) as object;
    await off.stop();
    expect([made.status, await made.json()]).toMatchObject([403, { code: 'CONSOLE_GENERATE_OFF' }]);
    expect(facts).not.toHaveProperty('generate');
  });

  it.each([
    '/snowflake/assets/..%2f..%2fpackage.json',
    '/snowflake/..%2fpackage.json',
    '/snowflake/assets/%2e%2e/index.html%00',
    '/snowflake/assets/',
    '/snowflake/constructor',
    '/snowflake/__proto__',
    '/snowflake/assets/%5c..%5cindex.html',
  ])('leads to no file but those of the page: %s', async (address) => {
    const answer = await ask(app, address);
    expect([400, 404]).toContain(answer.status);
    expect(await answer.text()).not.toMatch(/"name"|<html/);
  });

  it('has an address of bounded length and a method that the address knows', async () => {
    expect((await ask(app, `/snowflake/?${'q'.repeat(3000)}`)).status).toBe(414);
    const wrong = await ask(app, '/snowflake/api/app', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    const head = await ask(app, '/snowflake/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});
