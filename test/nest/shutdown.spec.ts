import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { SnowflakeIdMaker, SnowflakeModule, StoppedError } from 'nestjs-snowflake';
import { Apps } from './support/apps.js';
import { Renewals } from './support/renewals.js';

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

const RENEWALS_PER_HOOK = 2;
/** Outlasts the hooks on any machine: the lease is to be kept until they have ended. */
const drainTimeoutMs = 120_000;
const MANY_RENEWALS = 40;

/** An app that takes its time to shut down, renewals long, and needs IDs to the end. */
@Injectable()
class SlowToLeave implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly hooks: string[] = [];
  lastId = '';
  /** What a hook waits for. */
  patience: () => Promise<void>;
  private readonly renewals: Renewals;

  constructor(private readonly ids: SnowflakeIdMaker) {
    this.renewals = new Renewals(ids);
    this.patience = () => this.renewals.more(RENEWALS_PER_HOOK);
  }

  onModuleDestroy(): Promise<void> {
    return this.takeTime('onModuleDestroy');
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.takeTime('beforeApplicationShutdown');
  }

  onApplicationShutdown(): Promise<void> {
    return this.takeTime('onApplicationShutdown');
  }

  get renewalCount(): number {
    return this.renewals.count;
  }

  private async takeTime(hook: string): Promise<void> {
    await this.patience();
    this.lastId = this.ids.nextId();
    this.hooks.push(hook);
  }
}

describe.each([
  ['with', [ScheduleModule.forRoot()]],
  ['without', []],
])('the shutdown of an app %s ScheduleModule', (kind, schedule) => {
  it('goes on renewing until the last hook of the app has ended, and then releases the lease', async () => {
    const namespace = `leaving-${kind}`;
    const app = await apps.boot({
      imports: [...schedule, SnowflakeModule.forRoot({ ...apps.options(namespace), drainTimeoutMs })],
      providers: [SlowToLeave],
    });
    const leaving = app.get(SlowToLeave);
    const maker = app.get(SnowflakeIdMaker);
    const inspector = apps.inspector(namespace);
    expect((await inspector.row(0)).fencingToken).not.toBe('');

    await apps.close(app);
    await apps.untilReleased(namespace);
    expect(leaving.hooks).toEqual(['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown']);
    expect(await inspector.row(0)).toEqual({
      workerId: 0,
      fencingToken: '',
      reservedUntilMs: maker.decode(leaving.lastId).timestampMs,
    });
    expect(maker.status().state).toBe('stopped');
    expect(() => maker.nextId()).toThrow(StoppedError);
  });
});

describe('the shutdown of an app with ScheduleModule', () => {
  /** How often the lease is renewed after @nestjs/schedule has cleared its intervals. */
  async function renewalsWhileLeaving(namespace: string): Promise<number> {
    const bystander = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options(namespace))] });
    const app = await apps.boot({
      imports: [
        ScheduleModule.forRoot(),
        SnowflakeModule.forRoot({ ...apps.options(namespace), drainTimeoutMs }),
      ],
      providers: [SlowToLeave],
    });
    const leaving = app.get(SlowToLeave);
    const registry = app.get(SchedulerRegistry, { strict: false });
    const clock = new Renewals(bystander.get(SnowflakeIdMaker));
    let renewals = 0;
    leaving.patience = async () => {
      if (leaving.hooks.length < 2) return;
      expect(registry.getIntervals()).toEqual([]);
      await clock.more(1);
      const before = leaving.renewalCount;
      for (let turn = 0; turn < MANY_RENEWALS && renewals === 0; turn++) {
        await clock.more(1);
        renewals = leaving.renewalCount - before;
      }
    };
    await apps.close(app);
    expect(leaving.hooks).toHaveLength(3);
    return renewals;
  }

  it('renews by a timer of its own when the intervals of the app are gone', async () => {
    expect(await renewalsWhileLeaving('own-timer')).toBeGreaterThan(0);
  });
});
