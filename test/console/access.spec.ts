import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import {
  allowEverybody,
  appModule,
  ask,
  FROM_THE_PAGE,
  startOpenApp,
  statusForHost,
} from './support/console-app.js';
import {
  AdminGuard,
  AdminModule,
  ChallengingGuard,
  CorrectingGuard,
  CROWD,
  isAdmin,
  PlainGuard,
  RequestGuard,
  UnmetGuard,
  UserGuard,
  WaitingGuard,
} from './support/guards.js';

const ADDRESSES = [
  '',
  '/',
  '/index.html',
  '/api/app',
  '/api/ids',
  '/api/events',
  '/api/series',
  '/none',
  '/a/b/c',
];
let app: HttpApp | undefined;
afterEach(async () => {
  await app?.stop();
  app = undefined;
});

describe.each(PLATFORMS)('the authorization of the console in an app on %s', (platform) => {
  it('answers an unauthorized request as an address that the app does not have', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: isAdmin });
    app = await HttpApp.start(platform, appModule(mounted));
    const page = await (await ask(app, '/console/', { headers: { 'x-user': 'admin' } })).text();
    const asset = /assets\/[^"]+\.js/.exec(page)?.[0] ?? 'none';
    const without = (await ask(app, '/elsewhere')).headers;
    for (const address of [...ADDRESSES, `/${asset}`]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const options = { method, headers: { 'x-user': 'nobody' } };
        const refused = await ask(app, `/console${address}`, options);
        const elsewhere = await ask(app, `/elsewhere${address}`, options);
        const text = (await elsewhere.text()).replaceAll('/elsewhere', '/console');
        expect([method, address, refused.status, await refused.text()]).toEqual([method, address, 404, text]);
        expect([...refused.headers.keys()].sort()).toEqual([...without.keys()].sort());
      }
    }
  });

  // Control: the same requests get answers with the right user.
  it('answers the same requests of an authorized user (control)', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: isAdmin });
    app = await HttpApp.start(platform, appModule(mounted));
    const headers = { ...FROM_THE_PAGE, 'x-user': 'admin' };
    for (const address of ['/', '/index.html', '/api/app']) {
      expect([address, (await ask(app, `/console${address}`, { headers })).status]).toEqual([address, 200]);
    }
    const body = JSON.stringify({ maker: 'default', count: 1 });
    expect((await ask(app, '/console/api/ids', { method: 'POST', headers, body })).status).toBe(200);
  });

  it.each([
    ['that the app provides, with its dependencies', AdminGuard],
    ['of a request', RequestGuard],
    ['of a request that it has injected', UserGuard],
    ['that nobody provides', PlainGuard],
    ['whose last answer differs from its first one', CorrectingGuard],
  ])('asks a guard class %s', async (_what, authorize) => {
    const mounted = SnowflakeConsoleModule.forRootAsync({
      path: 'console',
      authorize,
      imports: [AdminModule],
    });
    app = await HttpApp.start(platform, appModule(mounted));
    const statusFor = async (user: string): Promise<number> =>
      (await ask(app!, '/console/api/app', { headers: { 'x-user': user } })).status;
    expect([await statusFor('admin'), await statusFor('nobody')]).toEqual([200, 404]);
  });

  it('makes a guard for each request if no module provides the class', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: WaitingGuard });
    app = await HttpApp.start(platform, appModule(mounted));
    const users = Array.from({ length: CROWD }, (_, index) => (index % 2 === 0 ? 'nobody' : 'admin'));
    const statuses = await Promise.all(
      users.map(
        async (user) => (await ask(app!, '/console/api/app', { headers: { 'x-user': user } })).status,
      ),
    );
    expect(statuses).toEqual(users.map((user) => (user === 'admin' ? 200 : 404)));
  });

  it('fails the boot if a guard lacks a dependency', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: UnmetGuard });
    await expect(HttpApp.start(platform, appModule(mounted))).rejects.toThrow(
      /dependencies of the UnmetGuard/,
    );
  });

  // Both answer before they run any guard. If this fails, that was changed: update docs/guides/console.md.
  it('lets the framework answer a request that it can’t read, and reveals nothing of the console', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: () => false });
    app = await HttpApp.start(platform, appModule(mounted));
    const text = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a/>' };
    const statusAt = async (path: string, options?: RequestInit) => (await ask(app!, path, options)).status;
    expect([await statusAt('/console/%ff'), await statusAt('/elsewhere/%ff')]).toEqual(
      platform === 'Express' ? [400, 404] : [400, 400],
    );
    expect([await statusAt('/console/api/ids', text), await statusAt('/elsewhere', text)]).toEqual(
      platform === 'Express' ? [404, 404] : [415, 404],
    );
  });

  it('answers every request with the challenge that a guard throws', async () => {
    const mounted = SnowflakeConsoleModule.forRootAsync({ path: 'console', authorize: ChallengingGuard });
    app = await HttpApp.start(platform, appModule(mounted));
    for (const address of ADDRESSES) {
      const { status, headers } = await ask(app, `/console${address}`);
      expect([address, status, headers.has('content-security-policy')]).toEqual([address, 401, false]);
    }
  });

  it.each([
    ['returns something else than true', () => 'yes' as unknown as boolean],
    ['rejects', () => Promise.reject(new Error('the directory is away'))],
  ])('refuses a request if authorize %s', async (_what, authorize) => {
    const mounted = SnowflakeConsoleModule.forRoot({ authorize });
    app = await HttpApp.start(platform, appModule(mounted));
    expect((await ask(app, '/snowflake/api/app')).status).toBeGreaterThanOrEqual(400);
  });

  it('takes authorize from the options of a factory', async () => {
    const mounted = SnowflakeConsoleModule.forRootAsync({ useFactory: () => ({ authorize: isAdmin }) });
    app = await HttpApp.start(platform, appModule(mounted));
    expect((await ask(app, '/snowflake/')).status).toBe(404);
    expect((await ask(app, '/snowflake/', { headers: { 'x-user': 'admin' } })).status).toBe(200);
  });
});

describe('the options of the console', () => {
  const before = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = before;
  });

  it.each<[string, unknown]>([
    ['no options', undefined],
    ['no authorize', {}],
    ['authorize of another kind', { authorize: 'everybody' }],
    ['a misspelled option', { authorise: () => true, authorize: () => true }],
    ['an empty path', { path: '/', authorize: () => true }],
    ['a path with a wildcard', { path: 'a/*', authorize: () => true }],
    ['too large batches', { generate: { maxCount: 100_000 }, authorize: () => true }],
    ['no listeners', { maxListeners: 0, authorize: () => true }],
  ])('refuses %s with a typed error', (_what, options) => {
    expect(() => SnowflakeConsoleModule.forRoot(options as never)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }),
    );
  });

  it('fails the boot if a factory returns no authorize', async () => {
    const mounted = SnowflakeConsoleModule.forRootAsync({ useFactory: () => ({}) });
    await expect(HttpApp.start('Express', appModule(mounted))).rejects.toMatchObject({
      code: 'SNOWFLAKE_INVALID_OPTION',
      option: 'authorize',
    });
  });

  it("admits everybody on this host with 'development-only', and refuses to start with it in production", async () => {
    const options = { authorize: 'development-only' } as const;
    app = await HttpApp.start('Express', appModule(SnowflakeConsoleModule.forRoot(options)));
    expect((await ask(app, '/snowflake/')).status).toBe(200);
    for (const [host, status] of [
      ['localhost:3000', 200],
      ['shop.localhost', 200],
      ['[::1]:3000', 200],
      ['192.168.1.7', 200],
      ['rebound.example:3000', 421],
    ] as const) {
      expect([host, await statusForHost(`${app.url}/snowflake/`, host)]).toEqual([host, status]);
    }
    process.env['NODE_ENV'] = 'production';
    expect(() => SnowflakeConsoleModule.forRoot(options)).toThrow(/NODE_ENV=production/);
    const late = SnowflakeConsoleModule.forRootAsync({ useFactory: () => options });
    await expect(HttpApp.start('Express', appModule(late))).rejects.toThrow(/NODE_ENV=production/);
  });
});

const DATA = ['app', 'series', 'events'].map((name) => `/snowflake/api/${name}`);
const BODY = JSON.stringify({ maker: 'default', count: 2 });

const FORWARDED = { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' };

const corsHeadersOf = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe.each(PLATFORMS)(
  'a page of another origin, and an app on %s that allows every origin',
  (platform) => {
    let careless: HttpApp;
    beforeAll(async () => {
      careless = await startOpenApp(platform, allowEverybody);
    });
    afterAll(() => careless.stop());

    const issued = (): number => careless.app.get(SnowflakeIdMaker).status().issued;
    const makeIds = (headers: Record<string, string>): Promise<Response> =>
      ask(careless, '/snowflake/api/ids', {
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
    ])('gives no data and no IDs to a page %s', async (_what, headers) => {
      const before = issued();
      for (const answer of [
        ...(await Promise.all(DATA.map((path) => ask(careless, path, { headers })))),
        await makeIds(headers),
      ]) {
        expect([answer.status, corsHeadersOf(answer)]).toEqual([403, []]);
        expect(await answer.json()).toMatchObject({ code: 'CONSOLE_CROSS_SITE' });
      }
      expect(issued()).toBe(before);
    });

    // Control: the same requests from the console's own page, and from tools, which send no origin.
    it.each<[string, () => Record<string, string>]>([
      ['its own page', () => ({ origin: careless.url })],
      [
        'its own page, which the browser marks',
        () => ({ origin: careless.url, 'sec-fetch-site': 'same-origin' }),
      ],
      ['a tool', () => ({})],
    ])('gives data and IDs to %s (control)', async (_what, headers) => {
      expect((await ask(careless, '/snowflake/api/app', { headers: headers() })).status).toBe(200);
      const made = await makeIds(headers());
      expect([made.status, corsHeadersOf(made)]).toEqual([200, []]);
    });
  },
);
