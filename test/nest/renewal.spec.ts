import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  getSnowflakeToken,
  type LeaseEvent,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { leaseEvents } from 'nestjs-snowflake/rxjs';
import { config, filter, firstValueFrom, lastValueFrom, map, type Observable, take, toArray } from 'rxjs';
import { startRedis } from '../support/servers/index.js';
import { waitFor, within } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { Renewals } from './support/renewals.js';

const PATIENCE_MS = 60_000;

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

describe('the lease of an app with ScheduleModule', () => {
  it.each(['before', 'after'])(
    'renews the lease by an interval of the app, with ScheduleModule %s SnowflakeModule',
    async (place) => {
      const namespace = `schedule-${place}`;
      const snowflake = [
        SnowflakeModule.forRoot(apps.options(namespace)),
        SnowflakeModule.forRoot({ ...apps.options(namespace), name: 'audit' }),
      ];
      const schedule = ScheduleModule.forRoot();
      const app = await apps.boot({
        imports: place === 'before' ? [schedule, ...snowflake] : [...snowflake, schedule],
      });
      const registry = app.get(SchedulerRegistry, { strict: false });
      expect(registry.getIntervals().sort()).toEqual(['snowflake:lease:audit', 'snowflake:lease:default']);

      const main = new Renewals(app.get(SnowflakeIdMaker));
      const audit = new Renewals(app.get(getSnowflakeToken('audit')));
      const { reservedUntilMs } = await apps.inspector(namespace).row(0);
      await Promise.all([main.more(2), audit.more(2)]);
      expect((await apps.inspector(namespace).row(0)).reservedUntilMs).toBeGreaterThan(reservedUntilMs);
    },
  );

  it.each<[string, (registry: SchedulerRegistry, name: string) => void]>([
    ['deletes', (registry, name) => registry.deleteInterval(name)],
    ['clears', (registry, name) => clearInterval(registry.getInterval(name) as NodeJS.Timeout)],
  ])('renews the lease after the app %s all intervals', async (kind, takeAway) => {
    const app = await apps.boot({
      imports: [ScheduleModule.forRoot(), SnowflakeModule.forRoot(apps.options(`app-${kind}-intervals`))],
    });
    const registry = app.get(SchedulerRegistry, { strict: false });
    registry.getIntervals().forEach((name) => takeAway(registry, name));
    const maker = app.get(SnowflakeIdMaker);
    await new Renewals(maker).more(3);
    expect(maker.nextId()).toMatch(/^\d+$/);
  });

  it('renews the lease beside an app class that is also named SchedulerRegistry', async () => {
    class OwnRegistry {
      readonly added: string[] = [];
      addInterval(name: string): void {
        this.added.push(name);
      }
    }
    Object.defineProperty(OwnRegistry, 'name', { value: 'SchedulerRegistry' });
    const app = await apps.boot({
      imports: [SnowflakeModule.forRoot(apps.options('own-registry'))],
      providers: [OwnRegistry],
    });
    await new Renewals(app.get(SnowflakeIdMaker)).more(2);
    expect(app.get(OwnRegistry).added).toEqual([]);
  });
});

describe('the lease of an app without ScheduleModule', () => {
  it('renews the lease by its own timers without ScheduleModule', async () => {
    const app = await apps.boot({
      imports: [
        SnowflakeModule.forRoot(apps.options('own-timers')),
        SnowflakeModule.forRoot({ ...apps.options('own-timers'), name: 'audit' }),
      ],
    });
    const maker = app.get(SnowflakeIdMaker);
    const main = new Renewals(maker);
    const audit = new Renewals(app.get(getSnowflakeToken('audit')));
    await Promise.all([main.more(2), audit.more(2)]);

    // A schedule that never calls for a renewal is not trusted with the lease.
    const { count } = main;
    maker.setRenewalSchedule({ start: () => undefined, stop: () => undefined });
    await main.more(3);
    expect(main.count).toBeGreaterThanOrEqual(count + 3);
  });

  it('renews the lease while a listener throws', async () => {
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('throwing'))] });
    const maker = app.get(SnowflakeIdMaker);
    let thrown = 0;
    maker.subscribe(() => {
      thrown++;
      throw new Error('a listener at fault');
    });
    const renewals = new Renewals(maker);
    await renewals.more(3);
    expect(thrown).toBeGreaterThanOrEqual(3);
    await waitFor('a healthy lease', PATIENCE_MS, () => maker.status().lastError === undefined);
    expect(maker.status().state).toBe('active');
    expect(maker.nextId()).toMatch(/^\d+$/);
  });
});

const WITHIN_MS = 60_000;

const started = async (): Promise<SnowflakeIdMaker> => {
  const maker = new SnowflakeIdMaker({ store: memoryLeaseStore() });
  await maker.start();
  return maker;
};

function last<T>(events: Observable<T>): Promise<T[]> {
  return within('the end of the events', WITHIN_MS, lastValueFrom(events.pipe(toArray())));
}

describe('the events of an ID maker as an observable', () => {
  it('emits an outage of Redis, and completes with the release when the app has closed', async () => {
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

  it('completes after a release that failed', async () => {
    const redis = await startRedis();
    const store = redisLeaseStore({ url: redis.url, namespace: 'gone' });
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot({ ...apps.options('gone'), store })] });
    const all = last(leaseEvents(app.get(SnowflakeIdMaker)));
    await redis.stop();
    await apps.close(app);
    expect((await all).map(({ type }) => type)).toContain('release-failed');
  });

  it('emits what follows a subscription, and nothing after its end', async () => {
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

  it('emits to an operator that takes only the first event', async () => {
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

  it('completes at once for a maker that has stopped, or that stops before its start', async () => {
    const stopped = await started();
    await stopped.stop();
    expect(await last(leaseEvents(stopped))).toEqual([]);

    const idle = new SnowflakeIdMaker({ store: memoryLeaseStore() });
    const heard = last(leaseEvents(idle));
    await idle.stop();
    expect(await heard).toEqual([{ type: 'state', from: 'idle', to: 'stopped' }]);
  });

  it('continues for other subscribers when one throws, which RxJS reports', async () => {
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

  it.each([undefined, null, {}, 'ids'])('refuses %p, which is no ID maker', (maker) => {
    expect(() => leaseEvents(maker as unknown as SnowflakeIdMaker)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }),
    );
  });
});
