import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { getSnowflakeToken, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { Apps } from './support/apps.js';
import { Renewals } from './support/renewals.js';

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

describe('in an app with ScheduleModule, the lease', () => {
  it.each(['before', 'after'])(
    'is renewed by an interval of the app, with ScheduleModule %s it',
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

      // The control: it is this interval that renews, and nothing else.
      registry.deleteInterval('snowflake:lease:default');
      await audit.more(1);
      const { count } = main;
      await audit.more(3);
      expect(main.count).toBe(count);
    },
  );
});

describe('in an app without ScheduleModule, the lease', () => {
  it('is renewed by timers of its own', async () => {
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

    // The control: with a schedule that never calls for a renewal there is none.
    maker.renewBy({ start: () => undefined, stop: () => undefined });
    await audit.more(1);
    const { count } = main;
    await audit.more(3);
    expect(main.count).toBe(count);
  });

  it('outlives a listener that throws', async () => {
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
    expect(maker.status()).toMatchObject({ state: 'active', lastError: undefined });
    expect(maker.nextId()).toMatch(/^\d+$/);
  });
});
