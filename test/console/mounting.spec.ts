import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  type INestApplication,
  type NestInterceptor,
  ValidationPipe,
  VersioningType,
} from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { map, type Observable } from 'rxjs';
import { HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import { appModule, ask, askForIds, FROM_THE_PAGE, startOpenApp } from './support/console-app.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

class Wrapping implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

class RefusingGuard implements CanActivate {
  canActivate(): boolean {
    throw new ForbiddenException('closed on Sundays');
  }
}

const RIGHT = { maker: 'default', count: 1 };

/** Every file that the page names. */
function assetsIn(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path = '']) => path);
}

describe.each(PLATFORMS)('the console in an app on %s with helmet', (platform) => {
  let app: HttpApp;
  beforeAll(async () => {
    app = await startOpenApp(platform, (nest) => void nest.use(helmet()));
  });
  afterAll(() => app?.stop());

  const issued = (): number => app.app.get(SnowflakeIdMaker).status().issued;

  it('serves the page and all its files, whose names change with their content', async () => {
    const page = await ask(app, '/snowflake/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const assets = assetsIn(await page.text());
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      const file = await ask(app, `/snowflake/${asset}`);
      expect([asset, file.status]).toEqual([asset, 200]);
      expect(file.headers.get('cache-control')).toContain('immutable');
      expect(file.headers.get('content-encoding')).toBe('gzip');
      const plain = await ask(app, `/snowflake/${asset}`, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.has('content-encoding')).toBe(false);
      expect(await plain.text()).toBe(await file.text());
    }
  });

  it('transfers the first view in any language with at most 65 kB', async () => {
    const sizeOf = async (path: string): Promise<number> => {
      const answer = await ask(app, `/snowflake/${path}`);
      expect([path, answer.headers.get('content-encoding')]).toEqual([path, 'gzip']);
      return Number(answer.headers.get('content-length'));
    };
    const assets = assetsIn(await (await ask(app, '/snowflake/')).text());
    const scripts = assets.filter((name) => name.endsWith('.js'));
    const code = await Promise.all(
      scripts.map(async (name) => (await ask(app, `/snowflake/${name}`)).text()),
    );
    const languages = [...new Set(code.join('\n').match(/\b[a-z]{2}-[\w-]{8}\.json/g))].map(
      (name) => `assets/${name}`,
    );
    expect(languages).toHaveLength(3);
    const sizes = await Promise.all(['', ...assets].map(sizeOf));
    const page = sizes.reduce((sum, size) => sum + size);
    for (const language of languages) expect(page + (await sizeOf(language))).toBeLessThanOrEqual(65_000);
  });

  it('sends the strict policy with every answer, and no cookie', async () => {
    for (const path of [
      '/snowflake/',
      '/snowflake',
      '/snowflake/api/app',
      '/snowflake/none',
      '/snowflake/api/ids',
    ]) {
      const { headers } = await ask(app, path);
      expect([path, headers.get('content-security-policy')]).toEqual([path, POLICY]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.has('set-cookie')).toBe(false);
    }
  });

  it('returns the makers, layouts and stores of the app to the page', async () => {
    const answer = await ask(app, '/snowflake/api/app');
    expect(await answer.json()).toEqual({
      kind: 'app',
      makers: [
        {
          name: 'default',
          layout: {
            timestampBits: 41,
            datacenterBits: 0,
            workerBits: 10,
            sequenceBits: 12,
            tickMs: 1,
            order: ['datacenter', 'worker', 'sequence'],
            epochMs: Date.parse('2024-01-01T00:00:00Z'),
          },
          store: expect.stringContaining('memory'),
        },
      ],
      generate: { maxCount: 1000 },
      segments: false,
      series: false,
    });
  });

  it('generates IDs of the app', async () => {
    const answer = await askForIds(app, { maker: 'default', count: 3 });
    expect(answer.status).toBe(200);
    const { ids } = (await answer.json()) as { ids: string[] };
    expect(ids).toHaveLength(3);
    expect(ids.every((id) => /^\d{17,19}$/.test(id))).toBe(true);
  });

  it('redirects to the address with a slash, by a relative address', async () => {
    const answer = await ask(app, '/snowflake');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, './snowflake/']);
    expect((await fetch(`${app.url}/snowflake`)).url).toBe(`${app.url}/snowflake/`);
  });

  it('works behind a proxy that serves it below a path', async () => {
    const upstream = app.url;
    const proxy = createServer((incoming, outgoing) => {
      const inner = request(
        upstream + String(incoming.url).replace(/^\/tools/, ''),
        { method: incoming.method, headers: incoming.headers },
        (reply) => {
          outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
          reply.pipe(outgoing);
        },
      );
      incoming.pipe(inner);
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools/snowflake`;
    try {
      const page = await fetch(url);
      expect(page.url).toBe(`${url}/`);
      const [asset = ''] = assetsIn(await page.text());
      expect((await fetch(new URL(asset, page.url))).status).toBe(200);
      expect((await fetch(new URL('api/app', page.url))).status).toBe(200);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  it('stays out of the OpenAPI document of the app', async () => {
    const { paths } = SwaggerModule.createDocument(app.app, new DocumentBuilder().build());
    expect(paths).toEqual({});
  });

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
  ])(
    'refuses a request for IDs with %s with %i, and uses no ID',
    async (_what, status, body, headers = FROM_THE_PAGE) => {
      const before = issued();
      expect((await askForIds(app, body, headers)).status).toBe(status);
      expect(issued()).toBe(before);
    },
  );

  // Control: the same request without the mistake.
  it('generates IDs for the same request without a mistake (control)', async () => {
    const before = issued();
    const headers = { ...FROM_THE_PAGE, 'sec-fetch-site': 'same-origin' };
    expect((await askForIds(app, { maker: 'default', count: 1000 }, headers)).status).toBe(200);
    expect(issued()).toBe(before + 1000);
  });

  it.each([
    '/snowflake/assets/..%2f..%2fpackage.json',
    '/snowflake/..%2fpackage.json',
    '/snowflake/assets/%2e%2e/index.html%00',
    '/snowflake/assets/',
    '/snowflake/constructor',
    '/snowflake/__proto__',
    '/snowflake/assets/%5c..%5cindex.html',
  ])('serves no file but those of the page at %s', async (address) => {
    const answer = await ask(app, address);
    expect([400, 404]).toContain(answer.status);
    expect(await answer.text()).not.toMatch(/"name"|<html/);
  });

  it('refuses a long address and an unknown method', async () => {
    expect((await ask(app, `/snowflake/?${'q'.repeat(3000)}`)).status).toBe(414);
    const wrong = await ask(app, '/snowflake/api/app', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    const head = await ask(app, '/snowflake/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe.each(PLATFORMS)('the console in an app on %s with settings of its own', (platform) => {
  let app: HttpApp | undefined;
  afterEach(async () => {
    await app?.stop();
    app = undefined;
  });

  it.each<[string, (nest: INestApplication) => void, string, Record<string, string>?]>([
    ['a global prefix', (nest) => void nest.setGlobalPrefix('api/v2'), '/api/v2/snowflake/'],
    ['a prefix with a parameter', (nest) => void nest.setGlobalPrefix(':tenant'), '/acme/snowflake/'],
    [
      'versions in the address',
      (nest) => void nest.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
      '/snowflake/',
    ],
    [
      'versions in a header',
      (nest) => void nest.enableVersioning({ type: VersioningType.HEADER, header: 'x-version' }),
      '/snowflake/',
      { 'x-version': '9' },
    ],
    [
      'versions in the media type',
      (nest) => void nest.enableVersioning({ type: VersioningType.MEDIA_TYPE, key: 'v=' }),
      '/snowflake/',
      { accept: 'application/json;v=9' },
    ],
    [
      'an interceptor that wraps every body',
      (nest) => void nest.useGlobalInterceptors(new Wrapping()),
      '/snowflake/',
    ],
    [
      'a pipe that forbids unknown properties',
      (nest) => void nest.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })),
      '/snowflake/',
    ],
  ])('works under %s', async (_what, configure, path, headers = {}) => {
    app = await startOpenApp(platform, configure);
    expect((await ask(app, path, { headers })).headers.get('content-type')).toContain('text/html');
    const facts = await ask(app, `${path}api/app`, { headers });
    expect(Object.keys((await facts.json()) as object)).toEqual([
      'kind',
      'makers',
      'generate',
      'segments',
      'series',
    ]);
    const made = await fetch(`${app.url}${path}api/ids`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-snowflake-console': '1' },
      body: JSON.stringify({ maker: 'default', count: 1 }),
    });
    expect(await made.json()).toEqual({ ids: [expect.any(String)] });
  });

  it('answers with the refusal of a global guard', async () => {
    app = await startOpenApp(platform, (nest) => void nest.useGlobalGuards(new RefusingGuard()));
    const answer = await ask(app, '/snowflake/');
    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ message: 'closed on Sundays' }),
    ]);
  });

  it('generates IDs in an app that parses no bodies', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ authorize: () => true });
    app = await HttpApp.start(platform, appModule(mounted), undefined, { bodyParser: false });
    const answer = await askForIds(app, { maker: 'default', count: 1 });
    expect(await answer.json()).toEqual({ ids: [expect.any(String)] });
  });

  it('serves two paths of one app, each with its own authorization', async () => {
    const open = SnowflakeConsoleModule.forRoot({ path: 'a', authorize: () => true, generate: false });
    const shut = SnowflakeConsoleModule.forRootAsync({ path: 'b/c', authorize: () => false });
    app = await HttpApp.start(platform, appModule(open, { imports: [shut] }));
    expect((await ask(app, '/a/')).status).toBe(200);
    expect((await ask(app, '/b/c/')).status).toBe(404);
  });

  it('refuses too many requests for IDs with the time to wait', async () => {
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

  it('refuses to generate IDs and reports this to the page if generating is switched off', async () => {
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
});
