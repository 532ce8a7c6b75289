import { inspect } from 'node:util';
import {
  type CanActivate,
  type DynamicModule,
  HttpException,
  Logger,
  Module,
  type PipeTransform,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthImplementation } from 'grpc-health-check';
import { memoryLeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { bearerTokens, type ServiceCall, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { grpcTransport, snowflakeGrpc } from 'nestjs-snowflake-service/grpc';
import type { CallDeadline, LeaseStore } from 'nestjs-snowflake/store';
import { freePort } from '../../../test/support/servers/index.js';
import { type GrpcApp, type GrpcAppOptions, startGrpc } from './grpc-app.js';
import { GrpcClient, type Message } from './grpc-client.js';
import { SHOP_TOKEN, storeOfTests, TOKEN } from './service-app.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';
const ACQUIRE = 'snowflake.v1.LeaseService.Lease';
const CHECK = 'grpc.health.v1.Health.Check';
const WATCH = 'grpc.health.v1.Health.Watch';
const nothing = (): void => undefined;
const quiet = { log: nothing, warn: nothing, error: nothing };
const LEASE = {
  call: 'call-1',
  namespace: 'shop',
  layout: 'layout',
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: '0123456789abcdef:test',
  assumeNew: true,
  searchSeed: 1,
};

async function withService(options: GrpcAppOptions, use: (service: GrpcApp) => Promise<void>): Promise<void> {
  const service = await startGrpc(options);
  try {
    await use(service);
  } finally {
    await service.stop();
  }
}

describe('the service over gRPC, if authorize fails,', () => {
  const authorizeThat = (fail: (call: ServiceCall) => never) => ({
    service: { authorize: async (call: ServiceCall) => fail(call) },
  });

  it('answers with an error of its own, and shows no option', () =>
    withService(
      { service: { authorize: bearerTokens(() => [{ token: TOKEN, scopes: ['everything' as never] }]) } },
      async ({ client }) => {
        const answer = await client.call(MAKE, {});
        expect(answer).toMatchObject({
          status: 'INTERNAL',
          trailers: { 'snowflake-code': 'SNOWFLAKE_INTERNAL' },
        });
        expect(inspect(answer, { depth: 9 })).not.toContain('everything');
      },
    ));

  it('logs why, without the token and what else the error holds', () =>
    withService(
      authorizeThat(({ token }) => {
        throw Object.assign(new Error(`no answer for ${token}`), { config: { headers: token } });
      }),
      async ({ client }) => {
        const logged: unknown[] = [];
        Logger.overrideLogger({ ...quiet, error: (...all: unknown[]) => logged.push(...all) });
        try {
          expect((await client.call(MAKE, {})).status).toBe('INTERNAL');
        } finally {
          Logger.overrideLogger(false);
        }
        expect(inspect(logged)).toContain('no answer for');
        expect(inspect(logged, { depth: 9 })).not.toContain(TOKEN);
      },
    ));

  it('answers as an exception of Nest says', () =>
    withService(
      authorizeThat(() => {
        throw new HttpException('Too many calls', 429);
      }),
      async ({ client }) => {
        expect(await client.call(MAKE, {})).toMatchObject({
          status: 'RESOURCE_EXHAUSTED',
          details: 'Too many calls',
          trailers: { 'snowflake-code': 'SNOWFLAKE_REFUSED' },
        });
      },
    ));
});

describe('the service over gRPC in an app', () => {
  it('answers to who a guard of the app refuses', () => {
    const closed: CanActivate = { canActivate: () => false };
    return withService({ configure: (app) => app.useGlobalGuards(closed) }, async ({ client }) => {
      expect(await client.call(MAKE, {})).toMatchObject({
        status: 'PERMISSION_DENIED',
        trailers: { 'snowflake-code': 'SNOWFLAKE_REFUSED' },
      });
    });
  });

  it('leases in the namespace that was authorized, whatever the pipes of the app make of its name', () => {
    const [shop, other] = [storeOfTests(), storeOfTests()];
    const raising: PipeTransform = {
      transform: (value: object) => ('namespace' in value ? { ...value, namespace: 'SHOP' } : value),
    };
    const options = {
      service: { leases: { shop, SHOP: other } },
      configure: (app: GrpcApp['app']) => app.useGlobalPipes(raising),
    };
    return withService(options, async ({ client }) => {
      expect((await client.call(ACQUIRE, LEASE, { token: SHOP_TOKEN })).status).toBe('OK');
      expect((await other.inspect()).rows).toEqual([]);
      expect((await shop.inspect()).rows).toHaveLength(1);
    });
  });

  it('lets authorize see the call, of which a certificate of the client is a part', () => {
    const requests: unknown[] = [];
    const authorize = ({ request }: ServiceCall): boolean => requests.push(request) > 0;
    return withService({ service: { authorize } }, async ({ client }) => {
      expect((await client.call(MAKE, {})).status).toBe('OK');
      expect(requests).toEqual([expect.objectContaining({ getAuthContext: expect.any(Function) })]);
    });
  });

  it('waits for its store no longer than the client waits', () => {
    const deadlines: CallDeadline[] = [];
    const memory = storeOfTests();
    const store: LeaseStore = {
      ...memory,
      lease: (request, deadline) => {
        if (deadline) deadlines.push(deadline);
        return memory.lease(request, deadline);
      },
    };
    const service = { leases: { shop: store }, callTimeoutMs: 60_000 };
    return withService({ service }, async ({ client }) => {
      await client.call(ACQUIRE, LEASE, { options: { deadline: Date.now() + 30_000 } });
      await client.call(ACQUIRE, LEASE);
      expect(deadlines[0]!.timeoutMs).toBeLessThan(30_000);
      expect(deadlines[1]!.timeoutMs).toBe(60_000);
    });
  });

  it('tells clients to repeat a call for which it has no IDs now, and load balancers to go elsewhere', () =>
    withService({ grpc: { health: HealthImplementation } }, async ({ app, client }) => {
      await app.get(SnowflakeIdMaker).stop();
      expect(await client.call(MAKE, {})).toMatchObject({
        status: 'UNAVAILABLE',
        trailers: { 'snowflake-code': 'SNOWFLAKE_STOPPED', 'grpc-retry-pushback-ms': '1000' },
      });
      const healthOf = async (service: string): Promise<unknown> =>
        (await client.call(CHECK, { service })).response.status;
      expect(await healthOf('')).toBe('NOT_SERVING');
      expect(await healthOf('snowflake.v1.IdService')).toBe('NOT_SERVING');
      expect(await healthOf('snowflake.v1.LeaseService')).toBe('SERVING');
    }));

  it('tells who watches its health that it shuts down, and does not wait for them', () => {
    const options = { grpc: { health: HealthImplementation }, service: { drainTimeoutMs: 300 } };
    return withService(options, async ({ app, client }) => {
      const statuses: unknown[] = [];
      const watching = client.stream(WATCH, { service: 'snowflake.v1.LeaseService' });
      const ended = new Promise((resolve) => watching.once('error', resolve));
      await new Promise<void>((resolve) => {
        watching.on('data', ({ status }: Message) => {
          statuses.push(status);
          resolve();
        });
      });
      await app.close();
      await ended;
      expect(statuses).toEqual(['SERVING', 'NOT_SERVING']);
    });
  });
});

describe('a microservice without HTTP', () => {
  it('serves gRPC', async () => {
    @Module({
      imports: [
        SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
        SnowflakeServiceModule.forRootAsync({
          grpc: grpcTransport,
          useFactory: () => ({ authorize: () => true }),
        }),
      ],
    })
    class AppModule {}
    const url = `127.0.0.1:${await freePort()}`;
    const app = await NestFactory.createMicroservice(AppModule, { ...snowflakeGrpc({ url }), logger: false });
    await app.listen();
    const client = new GrpcClient(url);
    try {
      expect((await client.call(MAKE, {})).response.ids).toHaveLength(1);
    } finally {
      client.close();
      await app.close();
    }
  });
});

describe('the options of gRPC', () => {
  it.each([
    ['no address', { url: '' }, 'url'],
    ['a health service that is no class', { url: 'x:1', health: {} }, 'health'],
    ['a reflection service that is no class', { url: 'x:1', reflection: true }, 'reflection'],
    ['an unknown option', { url: 'x:1', keepAlive: 5 }, 'keepAlive'],
  ])('refuse %s by a typed error', (_, options, option) => {
    expect(() => snowflakeGrpc(options as never)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });

  it.each([
    ['no module serves gRPC', [{}]],
    ['two modules serve gRPC', [{ grpc: grpcTransport }, { grpc: grpcTransport, path: 'other' }]],
  ])('refuse to listen if %s', async (_, all) => {
    const services: DynamicModule[] = all.map((options) =>
      SnowflakeServiceModule.forRoot({ authorize: () => true, ...options }),
    );
    @Module({ imports: [SnowflakeModule.forRoot({ store: memoryLeaseStore() }), ...services] })
    class AppModule {}
    const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    try {
      expect(() => app.connectMicroservice(snowflakeGrpc({ url: '127.0.0.1:1' }))).toThrow(
        expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'grpc' }),
      );
    } finally {
      await app.close();
    }
  });

  it('refuse something else than the transport', () => {
    expect(() => SnowflakeServiceModule.forRoot({ authorize: () => true, grpc: true as never })).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'grpc' }),
    );
  });
});
