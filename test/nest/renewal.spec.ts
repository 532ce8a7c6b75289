import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  getSnowflakeToken,
  type LeaseEvent,
  SnowflakeIdMaker,
  SnowflakeModule,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { Renewals } from './support/renewals.js';

const TIMEOUT_MS = 60_000;
const INTERVAL = 'snowflake:lease:default';
const MANY_RENEWALS = 10;
/** By then, the interval has taken over from the timer of the start. */
const UNTIL_INTERVAL_RENEWS = 3;
/** A renewal that is late by less than a minute is no reason for the maker's own timer to take over. */
const PATIENT = {
  windowMs: 600_000,
  renewEveryMs: 100,
  callTimeoutMs: 60_000,
  maxSkewMs: 120_000,
  possibleLoss: 'ignore',
} as const;

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

  const takingAway: [string, (registry: SchedulerRegistry, name: string) => void][] = [
    ['deletes', (registry, name) => registry.deleteInterval(name)],
    ['clears', (registry, name) => clearInterval(registry.getInterval(name) as NodeJS.Timeout)],
  ];

  it.each(takingAway)('renews the lease after the app %s all intervals', async (kind, takeAway) => {
    const app = await apps.boot({
      imports: [ScheduleModule.forRoot(), SnowflakeModule.forRoot(apps.options(`app-${kind}-intervals`))],
    });
    const registry = app.get(SchedulerRegistry, { strict: false });
    const maker = app.get(SnowflakeIdMaker);
    const renewals = new Renewals(maker);
    await renewals.more(UNTIL_INTERVAL_RENEWS);
    registry.getIntervals().forEach((name) => takeAway(registry, name));
    await renewals.more(3);
    expect(maker.nextId()).toMatch(/^\d+$/);
  });

  it.each(takingAway)(
    'does not renew the lease after the app %s all intervals, as long as no timer takes over (control)',
    async (kind, takeAway) => {
      const namespace = `nobody-renews-${kind}`;
      const app = await apps.boot({
        imports: [
          ScheduleModule.forRoot(),
          SnowflakeModule.forRoot(apps.options(namespace, { lease: PATIENT })),
          SnowflakeModule.forRoot({ ...apps.options(namespace, { lease: PATIENT }), name: 'bystander' }),
        ],
      });
      const main = new Renewals(app.get(SnowflakeIdMaker));
      const bystander = new Renewals(app.get(getSnowflakeToken('bystander')));
      await main.more(UNTIL_INTERVAL_RENEWS);
      takeAway(app.get(SchedulerRegistry, { strict: false }), INTERVAL);
      await bystander.more(1);
      const { count } = main;
      await bystander.more(MANY_RENEWALS);
      expect(main.count).toBe(count);
    },
  );

  it.each<[string, (registry: SchedulerRegistry) => void]>([
    ['lists it', () => undefined],
    ['has deleted it', (registry) => registry.deleteInterval(INTERVAL)],
  ])('takes its interval away when the maker stops, whether the app still %s', async (kind, change) => {
    const app = await apps.boot({
      imports: [ScheduleModule.forRoot(), SnowflakeModule.forRoot(apps.options(`stopped-${kind.length}`))],
    });
    const registry = app.get(SchedulerRegistry, { strict: false });
    const maker = app.get(SnowflakeIdMaker);
    const warnings: LeaseEvent[] = [];
    maker.subscribe((event) => event.type === 'warning' && warnings.push(event));
    change(registry);
    await maker.stop();
    expect(registry.getIntervals()).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('registers no interval for a fixed worker ID, which needs no renewal', async () => {
    const store = staticLeaseStore({ workerId: 7 });
    const app = await apps.boot({ imports: [ScheduleModule.forRoot(), SnowflakeModule.forRoot({ store })] });
    expect(app.get(SchedulerRegistry, { strict: false }).getIntervals()).toEqual([]);
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
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
    const main = new Renewals(app.get(SnowflakeIdMaker));
    const audit = new Renewals(app.get(getSnowflakeToken('audit')));
    await Promise.all([main.more(3), audit.more(3)]);
    expect(app.get(SnowflakeIdMaker).status().state).toBe('active');
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
      const { error } = await first('request-failed');
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
