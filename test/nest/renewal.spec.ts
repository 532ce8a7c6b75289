import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { getSnowflakeToken, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { Apps } from './support/apps.js';
import { waitFor } from '../support/wait.js';
import { Renewals } from './support/renewals.js';

const PATIENCE_MS = 60_000;

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
    },
  );

  it.each<[string, (registry: SchedulerRegistry, name: string) => void]>([
    ['deletes', (registry, name) => registry.deleteInterval(name)],
    ['clears', (registry, name) => clearInterval(registry.getInterval(name) as NodeJS.Timeout)],
  ])('is renewed on when the app %s all intervals', async (kind, takeAway) => {
    const app = await apps.boot({
      imports: [ScheduleModule.forRoot(), SnowflakeModule.forRoot(apps.options(`app-${kind}-intervals`))],
    });
    const registry = app.get(SchedulerRegistry, { strict: false });
    registry.getIntervals().forEach((name) => takeAway(registry, name));
    const maker = app.get(SnowflakeIdMaker);
    await new Renewals(maker).more(3);
    expect(maker.nextId()).toMatch(/^\d+$/);
  });

  it("is renewed beside the app's own class of the name SchedulerRegistry", async () => {
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

    // A schedule that never calls for a renewal is not trusted with the lease.
    const { count } = main;
    maker.setRenewalSchedule({ start: () => undefined, stop: () => undefined });
    await main.more(3);
    expect(main.count).toBeGreaterThanOrEqual(count + 3);
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
    await waitFor('a healthy lease', PATIENCE_MS, () => maker.status().lastError === undefined);
    expect(maker.status().state).toBe('active');
    expect(maker.nextId()).toMatch(/^\d+$/);
  });
});
