import { type LeaseEvent, memoryLeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { leaseEvents } from 'nestjs-snowflake/rxjs';
import { config, filter, firstValueFrom, lastValueFrom, map, type Observable, take, toArray } from 'rxjs';
import { startRedis } from '../support/servers/index.js';
import { waitFor, within } from '../support/wait.js';
import { Apps } from './support/apps.js';

const WITHIN_MS = 60_000;

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

const started = async (): Promise<SnowflakeIdMaker> => {
  const maker = new SnowflakeIdMaker({ store: memoryLeaseStore() });
  await maker.start();
  return maker;
};

function last<T>(events: Observable<T>): Promise<T[]> {
  return within('the end of the events', WITHIN_MS, lastValueFrom(events.pipe(toArray())));
}

describe('the events of an ID maker as an observable', () => {
  it('tell of an outage of Redis, and complete with the release when the app has closed', async () => {
    const redis = await startRedis({ args: ['--requirepass', 'hunter22secret'] });
    try {
      const url = redis.url.replace('//', '//:hunter22secret@');
      const { lease } = apps.options('outage');
      const store = redisLeaseStore({ url, namespace: 'outage' });
      const app = await apps.boot({ imports: [SnowflakeModule.forRoot({ store, lease })] });
      const events = leaseEvents(app.get(SnowflakeIdMaker));
      const all = last(events);
      const next = (type: LeaseEvent['type']): Promise<LeaseEvent> =>
        within(type, WITHIN_MS, firstValueFrom(events.pipe(filter((event) => event.type === type))));

      const failed = next('renewal-failed');
      await redis.kill();
      const { error } = (await failed) as Extract<LeaseEvent, { type: 'renewal-failed' }>;
      expect(error.code).toBe('SNOWFLAKE_STORE_UNAVAILABLE');
      expect(`${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`).not.toContain(
        'hunter22secret',
      );

      const recovered = next('recovered');
      await redis.restart();
      expect(await recovered).toMatchObject({ failures: expect.any(Number), outageMs: expect.any(Number) });

      await apps.close(app);
      // `release-failed` if the answer took longer than a stop waits for it.
      expect((await all).at(-1)?.type).toMatch(/^release(d|-failed)$/);
    } finally {
      await redis.stop();
    }
  });

  it('complete after a release that failed', async () => {
    const redis = await startRedis();
    const store = redisLeaseStore({ url: redis.url, namespace: 'gone' });
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot({ ...apps.options('gone'), store })] });
    const all = last(leaseEvents(app.get(SnowflakeIdMaker)));
    await redis.stop();
    await apps.close(app);
    expect((await all).map(({ type }) => type)).toContain('release-failed');
  });

  it('are cold, replay nothing, and end with their subscription', async () => {
    const maker = await started();
    const events = leaseEvents(maker);
    const [stays, leaves]: [LeaseEvent[], LeaseEvent[]] = [[], []];
    events.subscribe((event) => stays.push(event));
    events.subscribe((event) => leaves.push(event)).unsubscribe();
    expect(stays).toEqual([]);
    await maker.stop();
    expect(stays.map(({ type }) => type)).toEqual(['state', 'released']);
    expect(leaves).toEqual([]);
  });

  it('can be taken in part', async () => {
    const maker = await started();
    const first = last(
      leaseEvents(maker).pipe(
        take(1),
        map(({ type }) => type),
      ),
    );
    await maker.stop();
    expect(await first).toEqual(['state']);
  });

  it('complete at once for a maker that has stopped, and for one that stops before its start', async () => {
    const stopped = await started();
    await stopped.stop();
    expect(await last(leaseEvents(stopped))).toEqual([]);

    const idle = new SnowflakeIdMaker({ store: memoryLeaseStore() });
    const heard = last(leaseEvents(idle));
    await idle.stop();
    expect(await heard).toEqual([{ type: 'state', from: 'idle', to: 'stopped' }]);
  });

  it('go on for the maker and for others when a subscriber throws, which RxJS reports', async () => {
    const reported: unknown[] = [];
    const before = config.onUnhandledError;
    config.onUnhandledError = (error) => void reported.push(error);
    try {
      const maker = await started();
      const failure = new Error('a broken subscriber');
      leaseEvents(maker).subscribe(() => {
        throw failure;
      });
      const others = last(leaseEvents(maker));
      await maker.stop();
      expect((await others).map(({ type }) => type)).toEqual(['state', 'released']);
      await waitFor('the report', WITHIN_MS, () => reported.length >= 2);
      expect(new Set(reported)).toEqual(new Set([failure]));
    } finally {
      config.onUnhandledError = before;
    }
  });

  it.each([undefined, null, {}, 'ids'])('are refused for %p, which is no ID maker', (maker) => {
    expect(() => leaseEvents(maker as unknown as SnowflakeIdMaker)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }),
    );
  });
});
