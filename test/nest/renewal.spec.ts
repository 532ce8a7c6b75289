import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { SnowflakeIdMaker, SnowflakeModule, getSnowflakeToken, type LeaseEvent } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { setTimeout as delay } from 'node:timers/promises';
import { RegistrySchedule } from '../../libs/snowflake/src/nest/registry-schedule.js';
import { startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { Renewals } from './support/renewals.js';

const TIMEOUT_MS = 60_000;

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
    await waitFor('a healthy lease', TIMEOUT_MS, () => maker.status().lastError === undefined);
    expect(maker.status().state).toBe('active');
    expect(maker.nextId()).toMatch(/^\d+$/);
  });
});

describe('the events of an ID maker in an app', () => {
  it('a listener gets an outage of Redis without a secret, and the release when the app closes', async () => {
    const redis = await startRedis({ args: ['--requirepass', 'hunter22secret'] });
    try {
      const url = redis.url.replace('//', '//:hunter22secret@');
      const { lease } = apps.options('outage');
      const store = redisLeaseStore({ url, namespace: 'outage' });
      const app = await apps.boot({ imports: [SnowflakeModule.forRoot({ store, lease })] });
      const events: LeaseEvent[] = [];
      app.get(SnowflakeIdMaker).subscribe((event) => void events.push(event));
      const first = async <Type extends LeaseEvent['type']>(
        type: Type,
      ): Promise<Extract<LeaseEvent, { type: Type }>> => {
        const find = () => events.find((event) => event.type === type);
        await waitFor(type, TIMEOUT_MS, () => find() !== undefined);
        return find() as Extract<LeaseEvent, { type: Type }>;
      };

      await redis.kill();
      const { error } = await first('renewal-failed');
      expect(error.code).toBe('SNOWFLAKE_STORE_UNAVAILABLE');
      expect(`${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`).not.toContain(
        'hunter22secret',
      );
      await redis.restart();
      expect(await first('recovered')).toMatchObject({
        failures: expect.any(Number),
        outageMs: expect.any(Number),
      });

      await apps.close(app);
      // `release-failed` if the answer took longer than a stop waits for it.
      expect(events.at(-1)?.type).toMatch(/^release(d|-failed)$/);
    } finally {
      await redis.stop();
    }
  });
});

const NAME = 'snowflake:lease:default';
const PATIENCE_TURNS = 10_000;

describe('RegistrySchedule', () => {
  it('calls by the interval that the app sees, and by nothing else', async () => {
    const registry = new SchedulerRegistry();
    const schedule = new RegistrySchedule(registry, NAME);
    const calls: string[] = [];
    schedule.start(1, () => calls.push('call'));
    for (let turn = 0; calls.length < 3 && turn < PATIENCE_TURNS; turn++) await delay(1);
    expect(calls.length).toBeGreaterThanOrEqual(3);

    registry.deleteInterval(NAME);
    const before = calls.length;
    for (let turn = 0; turn < 10; turn++) await delay(1);
    expect(calls).toHaveLength(before);
    schedule.stop();
  });

  it('starts anew, and stops, whether or not the app has taken its interval away', () => {
    const registry = new SchedulerRegistry();
    const schedule = new RegistrySchedule(registry, NAME);
    const start = (): void => schedule.start(1000, () => undefined);
    start();
    start();
    expect(registry.getIntervals()).toEqual([NAME]);
    registry.deleteInterval(NAME);
    start();
    expect(registry.getIntervals()).toEqual([NAME]);
    schedule.stop();
    schedule.stop();
    expect(registry.getIntervals()).toEqual([]);
  });
});
