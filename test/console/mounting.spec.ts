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
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { map, type Observable } from 'rxjs';
import { HttpApp, PLATFORMS } from '../doors/http-apps.js';
import { appModule, ask, askForIds, startOpenApp } from './support/console-app.js';

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

let app: HttpApp | undefined;
const after: (() => void)[] = [];
afterEach(async () => {
  for (const end of after.splice(0)) end();
  await app?.stop();
  app = undefined;
});

/** Every file that the page names. */
function assetsIn(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path = '']) => path);
}

describe.each(PLATFORMS)('the console in an app on %s', (platform) => {
  it('serves the page and all its files, whose names change with their content', async () => {
    app = await startOpenApp(platform);
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
    }
  });

  it.each(['/snowflake/', '/snowflake', '/snowflake/api/app', '/snowflake/none', '/snowflake/api/ids'])(
    'sends the strict policy with %s, and no cookie',
    async (path) => {
      app = await startOpenApp(platform, (nest) => void nest.use(helmet()));
      const { headers } = await ask(app, path);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.has('set-cookie')).toBe(false);
    },
  );

  it('tells the page what the app has', async () => {
    app = await startOpenApp(platform);
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

  it('makes IDs of the app', async () => {
    app = await startOpenApp(platform);
    const answer = await askForIds(app, { maker: 'default', count: 3 });
    expect(answer.status).toBe(200);
    const { ids } = (await answer.json()) as { ids: string[] };
    expect(ids).toHaveLength(3);
    expect(ids.every((id) => /^\d{17,19}$/.test(id))).toBe(true);
  });

  it('leads to the address with a slash, by a relative address', async () => {
    app = await startOpenApp(platform);
    const answer = await ask(app, '/snowflake');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, './snowflake/']);
    expect((await fetch(`${app.url}/snowflake`)).url).toBe(`${app.url}/snowflake/`);
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

  it('leaves the last word to a global guard', async () => {
    app = await startOpenApp(platform, (nest) => void nest.useGlobalGuards(new RefusingGuard()));
    const answer = await ask(app, '/snowflake/');
    expect([answer.status, await answer.json()]).toEqual([
      403,
      expect.objectContaining({ message: 'closed on Sundays' }),
    ]);
  });

  it('works behind a proxy that has it below a path', async () => {
    app = await startOpenApp(platform);
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
    after.push(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools/snowflake`;
    const page = await fetch(url);
    expect(page.url).toBe(`${url}/`);
    const [asset = ''] = assetsIn(await page.text());
    expect((await fetch(new URL(asset, page.url))).status).toBe(200);
    expect((await fetch(new URL('api/app', page.url))).status).toBe(200);
  });

  it('makes IDs in an app that parses no bodies', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ authorize: () => true });
    app = await HttpApp.start(platform, appModule(mounted), undefined, { bodyParser: false });
    const answer = await askForIds(app, { maker: 'default', count: 1 });
    expect(await answer.json()).toEqual({ ids: [expect.any(String)] });
  });

  it('is at two paths of one app, each with its own rules', async () => {
    const open = SnowflakeConsoleModule.forRoot({ path: 'a', authorize: () => true, generate: false });
    const shut = SnowflakeConsoleModule.forRootAsync({ path: 'b/c', authorize: () => false });
    app = await HttpApp.start(platform, appModule(open, { imports: [shut] }));
    expect((await ask(app, '/a/')).status).toBe(200);
    expect((await ask(app, '/b/c/')).status).toBe(404);
  });

  it('is not in the OpenAPI document of the app', async () => {
    app = await startOpenApp(platform);
    const { paths } = SwaggerModule.createDocument(app.app, new DocumentBuilder().build());
    expect(paths).toEqual({});
  });
});
