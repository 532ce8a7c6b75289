import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type ServerHttp2Stream,
} from 'node:http2';
import { connect } from 'node:net';
import type { CanActivate, INestApplication, Type } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { visible } from 'nestjs-snowflake/core';
import { SnowflakeConsoleModule, type WatchEvent, type WorkerWatch } from 'nestjs-snowflake-console';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { memorySegmentStore, SegmentModule, Segments } from 'nestjs-snowflake-segments';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { HttpApp, PLATFORMS } from '../adapters/http-apps.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { appModule, ask } from './support/console-app.js';
import { EventListener } from './support/event-listener.js';

const HOSTILE = '</script><img src=x onerror=alert(1)>"\u0000\u202Egnp.exe${x}';
/** So long that no pause of the machine makes a reading fail. */
const LEASE = { windowMs: 600_000, callTimeoutMs: 20_000, possibleLoss: 'ignore' } as const;

const TIMEOUT_MS = 20_000;

/** What an event shows of the registry, if that could be read. */
const rowsIn = ({ makers }: WatchEvent): readonly WorkerWatch[] => makers[0]?.registry?.workers ?? [];
const isRead = ({ makers }: WatchEvent): boolean => makers[0]?.registry !== undefined;
const isCorrupt = ({ makers }: WatchEvent): boolean => makers[0]?.registry?.unreadable !== undefined;
const readAtMs = ({ makers }: WatchEvent): number => makers[0]?.registry?.storeNowMs ?? Number.NaN;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

function appOn(namespace: string, maxListeners = 20): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url: redis.url, namespace }),
        lease: LEASE,
        holderName: 'console-app',
      }),
      SegmentModule.forRoot({ store: memorySegmentStore(), tags: ['order'], createTags: true }),
      SnowflakeConsoleModule.forRoot({ authorize: () => true, maxListeners }),
    ],
  })
  class AppModule {}
  return AppModule;
}

describe.each(PLATFORMS)('the events of a console on %s', (platform) => {
  let app: HttpApp;
  const namespace = `events-${platform}`;
  beforeAll(async () => {
    app = await HttpApp.start(platform, appOn(namespace, 2));
  });
  afterAll(() => app?.stop());

  it('shows all real holders, this process and its segments', async () => {
    const others = ['web-1', 'web-2'].map(
      (holderName) =>
        new SnowflakeIdMaker({
          store: redisLeaseStore({ url: redis.url, namespace }),
          lease: LEASE,
          holderName,
        }),
    );
    await Promise.all(others.map((other) => other.start()));
    app.app.get(Segments).source('order').next();
    const listener = await EventListener.open(app);
    expect(listener.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const event = await listener.nextWith((each) => rowsIn(each).length === 3);
    await listener.leave();
    await Promise.all(others.map((other) => other.stop()));
    const [maker] = event.makers;
    expect(maker).toMatchObject({ name: 'default', status: { state: 'active', workerId: 0 } });
    expect(maker?.registry).toMatchObject({ first: 0, total: 1024 });
    const holders = maker?.registry?.workers.map(({ holder, state }) => `${holder} ${state}`);
    expect(holders?.sort()).toEqual(['console-app held', 'web-1 held', 'web-2 held']);
    expect(event.segments).toEqual([expect.objectContaining({ tag: 'order', state: 'ready', issued: 1 })]);
  });

  it('sends hostile names of holders as JSON, with invisible characters escaped, and truncated to a bounded length', async () => {
    const client = new Redis(redis.url);
    const [key = ''] = await client.keys(`*${namespace}*`);
    const until = Date.now() + 60_000;
    await client.hset(key, '500', `${until} 0123456789abcdef:${HOSTILE}@${until}`);
    await client.hset(key, '501', `${until} 0123456789abcdef:${'x'.repeat(5000)}@${until}`);
    const listener = await EventListener.open(app);
    const event = await listener.nextWith((each) => rowsIn(each).some(({ workerId }) => workerId === 501));
    await listener.leave();
    await client.hdel(key, '500', '501');
    client.disconnect();
    const rows = rowsIn(event);
    const [hostile, long] = [500, 501].map((id) => rows.find(({ workerId }) => workerId === id)?.holder);
    expect(hostile).toBe(visible(HOSTILE));
    expect(hostile).not.toMatch(/\p{C}/u);
    expect(long?.length).toBeLessThan(300);
  });

  it('sends one reading to all listeners, and limits their number', async () => {
    const listeners = [await EventListener.open(app), await EventListener.open(app)];
    const third = await ask(app, '/snowflake/api/events');
    const [first, second] = listeners;
    const seen = [await first!.nextWith(isRead)];
    const late = [await second!.nextWith(isRead), await second!.nextWith(isRead)];
    // The second one may have come some readings later.
    while (readAtMs(seen.at(-1)!) < readAtMs(late[1]!)) seen.push(await first!.nextWith(isRead));
    await Promise.all(listeners.map((listener) => listener.leave()));
    expect([third.status, third.headers.has('retry-after')]).toEqual([503, true]);
    expect(seen).toEqual(expect.arrayContaining(late));
    expect(readAtMs(late[1]!)).toBeGreaterThan(readAtMs(late[0]!));
  });

  it('shows the rest of a registry with an unreadable field, and names that field', async () => {
    const client = new Redis(redis.url);
    const [key = ''] = await client.keys(`*${namespace}*`);
    await client.hset(key, '700', 'nonsense');
    const listener = await EventListener.open(app);
    const event = await listener.nextWith(isCorrupt);
    await listener.leave();
    await client.hdel(key, '700');
    client.disconnect();
    expect(event.makers[0]?.registry?.unreadable).toEqual(['700']);
    expect(rowsIn(event).length).toBeGreaterThan(0);
  });

  it('logs an unreadable field once, with its cause', async () => {
    const lines: string[] = [];
    const noting = (...parts: unknown[]): void => void lines.push(parts.join(' '));
    const logger = { log: () => undefined, warn: noting, error: noting };
    const logging = await HttpApp.start(platform, appOn(`${namespace}-log`), undefined, { logger });
    const client = new Redis(redis.url);
    await client.hset(`snowflake:{${namespace}-log}`, '700', 'nonsense');
    const listener = await EventListener.open(logging);
    for (let readings = 0; readings < 2; readings++) await listener.nextWith(isCorrupt);
    await listener.leave();
    client.disconnect();
    await logging.stop();
    expect(lines.filter((line) => line.endsWith('SnowflakeConsole'))).toEqual([
      expect.stringMatching(
        /^A part of the registry of the ID maker "default" can't be read: SNOWFLAKE_STORE_CORRUPT: .*700/,
      ),
    ]);
  });

  it('leaves no listener behind after five requests at once on one connection', async () => {
    const { port } = new URL(app.url);
    const question = 'GET /snowflake/api/events HTTP/1.1\r\nhost: localhost\r\n\r\n';
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(question.repeat(5));
    await once(socket, 'data');
    socket.destroy();
    const free = waitFor('two places for listeners', TIMEOUT_MS, async () => {
      const listeners = [await ask(app, '/snowflake/api/events'), await ask(app, '/snowflake/api/events')];
      await Promise.all(listeners.map(({ body }) => body?.cancel()));
      return listeners.every(({ status }) => status === 200);
    });
    await expect(free).resolves.toBe(true);
  });

  it('ends the events when the app stops, which does not wait for them', async () => {
    const stopping = await HttpApp.start(platform, appOn(`${namespace}-stop`));
    const listener = await EventListener.open(stopping);
    await listener.next();
    const stopped = stopping.stop();
    while ((await listener.next()) !== undefined);
    await expect(stopped).resolves.toBeUndefined();
  });
});

describe('the events of a console over HTTP/2', () => {
  /** Lets requests through once the test opens it. */
  class GateGuard implements CanActivate {
    static asked = 0;
    static open: () => void = () => undefined;
    private static readonly opened = new Promise<void>((resolve) => (GateGuard.open = resolve));

    async canActivate(): Promise<boolean> {
      GateGuard.asked += 1;
      await GateGuard.opened;
      return true;
    }
  }

  let nest: INestApplication;
  /** As the server sees them. */
  const requests: ServerHttp2Stream[] = [];
  let client: ClientHttp2Session;
  beforeAll(async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ authorize: GateGuard, maxListeners: 1 });
    const adapter = new FastifyAdapter({ http2: true });
    nest = await NestFactory.create(appModule(mounted), adapter, { logger: false });
    await nest.listen(0, '127.0.0.1');
    nest.getHttpServer().on('stream', (stream: ServerHttp2Stream) => requests.push(stream));
    client = connectHttp2(await nest.getUrl());
  });
  // Ends streams that the console would have forgotten.
  afterAll(async () => {
    client?.destroy();
    await nest?.close();
  });

  const open = (): ClientHttp2Stream => client.request({ ':path': '/snowflake/api/events' });

  it('leaves no listener behind when a request is aborted, before or after its answer', async () => {
    const givenUp = open();
    await waitFor('the guard to be asked', TIMEOUT_MS, () => GateGuard.asked === 1);
    givenUp.close();
    await waitFor('the server to see that', TIMEOUT_MS, () => requests[0]?.closed);
    GateGuard.open();
    for (let attempt = 0; attempt < 3; attempt++) {
      const free = waitFor('a place for a listener', TIMEOUT_MS, async () => {
        const stream = open();
        const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
        stream.close();
        return headers[':status'] === 200;
      });
      await expect(free).resolves.toBe(true);
    }
  });
});

describe.each(PLATFORMS)(
  'an app on %s that has modules named like those of segments and series',
  (platform) => {
    @Module({})
    class OwnSegments {}
    @Module({})
    class OwnSeries {}
    Object.defineProperty(OwnSegments, 'name', { value: 'SegmentModule' });
    Object.defineProperty(OwnSeries, 'name', { value: 'SeriesModule' });

    it('sends the events of an app without taking its modules for those of the library', async () => {
      const ids = SnowflakeModule.forRoot({ store: memoryLeaseStore(), lease: LEASE });
      const mounted = SnowflakeConsoleModule.forRoot({ authorize: () => true });
      const app = await HttpApp.start(
        platform,
        appModule(mounted, { imports: [ids, OwnSegments, OwnSeries] }),
      );
      const facts = await (await ask(app, '/snowflake/api/app')).json();
      expect(facts).toMatchObject({ segments: false, series: false });
      expect((await ask(app, '/snowflake/api/series')).status).toBe(404);
      const listener = await EventListener.open(app);
      expect((await listener.next())?.makers).toHaveLength(1);
      await listener.leave();
      await app.stop();
    });
  },
);
