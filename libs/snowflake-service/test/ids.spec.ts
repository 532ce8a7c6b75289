import { inspect } from 'node:util';
import {
  type CallHandler,
  type DynamicModule,
  type ExecutionContext,
  HttpException,
  Logger,
  Module,
  type NestInterceptor,
  type PipeTransform,
  type Type,
} from '@nestjs/common';
import { type Observable, of, tap } from 'rxjs';
import { memoryLeaseStore, SnowflakeModule, staticLeaseStore, withLocalWindow } from 'nestjs-snowflake';
import {
  bearerTokens,
  type ServiceCall,
  SnowflakeProblemFilter,
  SnowflakeServiceModule,
} from 'nestjs-snowflake-service';
import { HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import {
  IDS_TOKEN,
  LEASE,
  send,
  type Sent,
  SHOP_TOKEN,
  startService,
  storeOfTests,
  TOKEN,
} from './service-app.js';

const nothing = (): void => undefined;
const UNSUPPORTED = 'SNOWFLAKE_UNSUPPORTED_MEDIA_TYPE';
const quiet = { log: nothing, warn: nothing, error: nothing };

describe.each(PLATFORMS)('the service on %s', (platform) => {
  let service: HttpApp;
  beforeAll(async () => {
    service = await startService(platform, { leases: { shop: storeOfTests() } });
  });
  afterAll(() => service.stop());

  it('generates IDs in ascending order, of which none repeats', async () => {
    const answers = [
      await send(service, 'v1/ids', { body: { count: 10_000 } }),
      await send(service, 'v1/ids?count=2'),
      await send(service, 'v1/ids', { body: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const ids = answers.flatMap(({ body }) => body.ids as string[]);
    expect(ids).toHaveLength(10_003);
    const ascending = ids.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1));
    expect(ids).toEqual(ascending);
    expect(new Set(ids).size).toBe(10_003);
  });

  it('decodes an ID, and shows how it is composed', async () => {
    const { body } = await send(service, 'v1/ids', { body: {} });
    const [id] = body.ids as [string];
    const decoded = await send(service, `v1/ids/${id}`);
    expect(decoded.body).toMatchObject({ id, workerId: expect.any(Number) });
    const layout = await send(service, 'v1/layouts/default');
    expect(layout.body).toMatchObject({ timestampBits: 41, workerBits: 10, sequenceBits: 12, tickMs: 1 });
    const { epochMs, tickMs } = layout.body as Record<string, number>;
    const { tick, timestampMs } = decoded.body as Record<string, number>;
    expect(epochMs! + tickMs! * tick!).toBe(timestampMs);
  });

  it.each([
    ['a count of 0', 'v1/ids', { count: 0 }],
    ['a negative count', 'v1/ids', { count: -1 }],
    ['a count above the bound', 'v1/ids', { count: 10_001 }],
    ['a count of 2^53', 'v1/ids', { count: 2 ** 53 }],
    ['a count that is text', 'v1/ids', { count: '5' }],
    ['a field that is not in the protocol', 'v1/ids', { count: 1, colour: 'red' }],
    ['a body that is a list', 'v1/ids', []],
    ['a lease without a layout', 'v1/leases/shop', { ...LEASE, layout: undefined }],
    ['worker IDs beside those of the layout', 'v1/leases/shop', { ...LEASE, layout: 'v2 workers=0+4' }],
    ['a window that no registry can hold', 'v1/leases/shop', { ...LEASE, windowMs: 1e12 }],
    ['a claim with an unknown field', 'v1/leases/shop', { ...LEASE, claim: { more: 1 } }],
    ['a release without a fencing token', 'v1/leases/shop/release', { workerId: 1, lastUsedMs: 1 }],
  ])('refuses %s, and says what is wrong', async (_, path, body) => {
    const answer = await send(service, path, { body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toMatchObject({ status: 400, code: 'SNOWFLAKE_INVALID_REQUEST' });
  });

  it.each([
    ['v1/ids', { count: 1, colour: 'red' }, ['"colour"', 'count, instance']],
    ['v1/leases/shop', { ...LEASE, windowMS: 1 }, ['"windowMS"', 'windowMs']],
    ['v1/ids', { ['x'.repeat(5000)]: 1 }, ['"xxx']],
  ])('names the field that the protocol of %s does not have', async (path, body, parts) => {
    const { detail } = (await send(service, path, { body })).body;
    for (const part of parts) expect(detail).toContain(part);
    expect(String(detail).length).toBeLessThan(500);
  });

  it.each([
    ['v1/ids?count=0', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['v1/ids?count=1&count=2', 400, 'SNOWFLAKE_INVALID_REQUEST'],
    ['v1/ids/42x', 400, 'SNOWFLAKE_INVALID_ID'],
    ['v1/ids?instance=none', 404, 'SNOWFLAKE_UNKNOWN_NAME'],
    ['v1/layouts/none', 404, 'SNOWFLAKE_UNKNOWN_NAME'],
    ['v1/leases/none', 404, 'SNOWFLAKE_UNKNOWN_NAME'],
  ])('answers %s with %d and %s', async (path, status, code) => {
    expect(await send(service, path)).toMatchObject({ status, body: { status, code } });
  });

  it.each([
    ['v1/ids', '', 401, 'Bearer'],
    ['v1/ids', 'an-unknown-token-of-nobody', 401, 'Bearer error="invalid_token"'],
    ['v1/leases/none', 'an-unknown-token-of-nobody', 401, 'Bearer error="invalid_token"'],
    ['v1/ids', SHOP_TOKEN, 403, 'Bearer error="insufficient_scope", scope="ids"'],
    ['v1/ids', IDS_TOKEN, 200, null],
    ['v1/layouts/default', IDS_TOKEN, 403, 'Bearer error="insufficient_scope", scope="read"'],
    ['v1/leases/shop', SHOP_TOKEN, 403, 'Bearer error="insufficient_scope", scope="read"'],
    ['v1/leases/shop', TOKEN, 200, null],
  ])('answers %s with the token "%s" by %d, and the challenge %s', async (path, token, status, challenge) => {
    const answer = await send(service, path, { token });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  });

  it('asks who calls before it looks for a name, so that nobody learns which names exist', async () => {
    const { status } = await send(service, 'v1/leases/none', { body: LEASE, token: IDS_TOKEN });
    expect(status).toBe(403);
  });

  it.each(['', 'x'.repeat(65), 'a call'])(
    'grants and releases nothing in a call with the name "%s", which a client can not check',
    async (call) => {
      for (const [path, body] of [
        ['v1/leases/shop', LEASE],
        ['v1/leases/shop/release', { workerId: 0, fencingToken: 'x', lastUsedMs: 1 }],
      ] as const) {
        const answer = await send(service, path, { body, call });
        expect(answer).toMatchObject({ status: 400, body: { code: 'SNOWFLAKE_INVALID_REQUEST' } });
        expect(answer.body.detail).toContain('Snowflake-Call');
      }
      const { body } = await send(service, 'v1/leases/shop', { call });
      expect(body.rows).toEqual([]);
    },
  );

  it('repeats the name of the call, and forbids caches to store the response', async () => {
    const { headers } = await send(service, 'v1/ids', { call: 'call-1' });
    expect(headers.get('snowflake-call')).toBe('call-1');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe.each(PLATFORMS)('the service on %s, if authorize fails,', (platform) => {
  const serviceThat = (fail: (call: ServiceCall) => never): Promise<HttpApp> =>
    startService(platform, { authorize: async (call) => fail(call) });

  it('answers with an error of its own, and shows no option', async () => {
    const grants = bearerTokens(() => [{ token: TOKEN, scopes: ['everything' as never] }]);
    const service = await startService(platform, { authorize: grants });
    try {
      const answer = await send(service, 'v1/ids', { token: 'an-unknown-token-of-nobody' });
      expect(answer).toMatchObject({ status: 500, body: { code: 'SNOWFLAKE_INTERNAL' } });
      expect(JSON.stringify(answer.body)).not.toContain('everything');
    } finally {
      await service.stop();
    }
  });

  it('logs why, without the token and what else the error holds', async () => {
    const service = await serviceThat(({ token }) => {
      throw Object.assign(new Error(`no answer for ${token}`), { config: { headers: token } });
    });
    const logged: unknown[] = [];
    Logger.overrideLogger({ ...quiet, error: (...all: unknown[]) => logged.push(...all) });
    try {
      expect((await send(service, 'v1/ids')).status).toBe(500);
      expect(inspect(logged)).toContain('no answer for');
      expect(inspect(logged, { depth: 9 })).not.toContain(TOKEN);
    } finally {
      Logger.overrideLogger(false);
      await service.stop();
    }
  });

  it('answers as an exception of Nest says', async () => {
    const service = await serviceThat(() => {
      throw new HttpException('Too many calls', 429);
    });
    try {
      expect(await send(service, 'v1/ids')).toMatchObject({
        status: 429,
        body: { detail: 'Too many calls' },
      });
    } finally {
      await service.stop();
    }
  });
});

describe.each(PLATFORMS)('the service on %s in an app', (platform) => {
  it('repeats no IDs if an interceptor of the app caches what is returned to a GET', async () => {
    const cache = new Map<string, unknown>();
    const caching: NestInterceptor = {
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        const { method, url } = context.switchToHttp().getRequest<{ method: string; url: string }>();
        const cached = method === 'GET' ? cache.get(url) : undefined;
        return cached === undefined ? next.handle().pipe(tap((value) => cache.set(url, value))) : of(cached);
      },
    };
    const service = await startService(platform, {}, undefined, (app) => app.useGlobalInterceptors(caching));
    try {
      const answers = [await send(service, 'v1/ids?count=1'), await send(service, 'v1/ids?count=1')];
      const ids = answers.flatMap(({ body }) => body.ids as string[]);
      expect(new Set(ids).size).toBe(2);
    } finally {
      await service.stop();
    }
  });

  it('leases in the namespace that was authorized, whatever the pipes of the app make of its name', async () => {
    const [shop, other] = [storeOfTests(), storeOfTests()];
    const raising: PipeTransform = {
      transform: (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value),
    };
    const leases = { shop, SHOP: other };
    const service = await startService(platform, { leases }, undefined, (app) => app.useGlobalPipes(raising));
    try {
      expect((await send(service, 'v1/leases/shop', { body: LEASE, token: SHOP_TOKEN })).status).toBe(200);
      expect((await other.inspect()).rows).toEqual([]);
      expect((await shop.inspect()).rows).toHaveLength(1);
    } finally {
      await service.stop();
    }
  });
});

describe.each(PLATFORMS)('the service on %s, with its filter for the whole app,', (platform) => {
  let service: HttpApp;
  beforeAll(async () => {
    service = await startService(platform, {}, undefined, (app) => {
      app.useGlobalFilters(app.get(SnowflakeProblemFilter));
    });
  });
  afterAll(() => service.stop());

  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  it.each<[string, string, Sent, number, string]>([
    ['an unknown route', 'v1/nothing', {}, 404, 'SNOWFLAKE_UNKNOWN_ROUTE'],
    ['DELETE of an unknown route', 'nothing', { method: 'DELETE' }, 404, 'SNOWFLAKE_UNKNOWN_ROUTE'],
    ['another method', 'v1/ids', { method: 'DELETE' }, 405, 'SNOWFLAKE_METHOD_NOT_ALLOWED'],
    ['a body that is not JSON', 'v1/ids', { body: '{"count": s3cret' }, 400, 'SNOWFLAKE_INVALID_REQUEST'],
    [
      'a body that is too long',
      'v1/ids',
      { body: { x: 'y'.repeat(2_000_000) } },
      413,
      'SNOWFLAKE_REQUEST_TOO_LARGE',
    ],
    ['text', 'v1/ids', { body: 'x', headers: { 'content-type': 'text/plain' } }, 415, UNSUPPORTED],
    ['a form', 'v1/ids', { body: 'count=1', headers: form }, 415, UNSUPPORTED],
  ])('answers %s with problem details', async (_, path, sent, status, code) => {
    const answer = await send(service, path, sent);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer).toMatchObject({ status, body: { type: 'about:blank', status, code } });
    expect(answer.body.title).toEqual(expect.stringMatching(/^[A-Z]/));
    expect(JSON.stringify(answer.body)).not.toContain('s3cret');
  });

  it('leaves a body that is not JSON to Nest if the app does not use it (control)', async () => {
    const plain = await startService(platform);
    const { status, headers } = await send(plain, 'v1/ids', { body: '{' });
    await plain.stop();
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('application/json');
  });
});

describe('the service below a path', () => {
  it('serves there', async () => {
    const service = await startService('Express', { path: '/internal/snowflake' });
    try {
      expect((await send(service, 'internal/snowflake/v1/ids')).status).toBe(200);
      expect((await send(service, 'v1/ids')).status).toBe(404);
    } finally {
      await service.stop();
    }
  });
});

describe('the module of the service', () => {
  const boot = (imported: Type | DynamicModule): Promise<unknown> => {
    @Module({ imports: [SnowflakeModule.forRoot({ store: memoryLeaseStore() }), imported] })
    class AppModule {}
    return HttpApp.start('Express', AppModule).then((app) => app.stop());
  };
  const authorize = (): boolean => true;

  it.each([
    ['is imported without options', SnowflakeServiceModule, 'imports'],
    ['has no authorize', SnowflakeServiceModule.forRoot({} as never), 'authorize'],
    [
      'serves a fixed worker ID',
      SnowflakeServiceModule.forRoot({ authorize, leases: { shop: staticLeaseStore({ workerId: 1 }) } }),
      'leases.shop',
    ],
    [
      'serves a local window',
      SnowflakeServiceModule.forRoot({
        authorize,
        leases: { shop: withLocalWindow(memoryLeaseStore(), { file: '/tmp/service.window' }) },
      }),
      'leases.shop',
    ],
    [
      'serves a store in memory',
      SnowflakeServiceModule.forRoot({ authorize, leases: { shop: memoryLeaseStore() } }),
      'leases.shop',
    ],
    [
      'serves no store',
      SnowflakeServiceModule.forRoot({ authorize, leases: { shop: {} as never } }),
      'leases.shop',
    ],
  ])('refuses to boot if it %s', async (_, imported, option) => {
    await expect(boot(imported)).rejects.toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option });
  });

  it('takes its options from a factory', async () => {
    const imported = SnowflakeServiceModule.forRootAsync({
      useFactory: () => ({ authorize, leases: { shop: storeOfTests() } }),
    });
    await expect(boot(imported)).resolves.toBeUndefined();
  });
});
