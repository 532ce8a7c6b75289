import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import {
  type BeforeApplicationShutdown,
  type INestApplication,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import {
  InvalidOptionError,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeModuleOptions,
  StoppedError,
} from 'nestjs-snowflake';
import { waitFor, within } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';
import { Renewals } from './support/renewals.js';

let apps: Apps;
let hung: HungApp | undefined;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(async () => {
  hung?.client.destroy();
  await hung?.app.close();
  hung = undefined;
  await apps.closeAll();
});
afterAll(() => apps.server.stop());

const RENEWALS_PER_HOOK = 2;
/** Outlasts the hooks on any machine: the lease is to be kept until they have ended. */
const LONG_DRAIN_MS = 120_000;
const MANY_RENEWALS = 40;

/** An app that takes its time to shut down, renewals long, and needs IDs to the end. */
@Injectable()
class SlowToLeave implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly hooks: string[] = [];
  lastId = '';
  /** What a hook waits for. */
  whileStopping: () => Promise<void>;
  private readonly renewals: Renewals;

  constructor(private readonly ids: SnowflakeIdMaker) {
    this.renewals = new Renewals(ids);
    this.whileStopping = () => this.renewals.more(RENEWALS_PER_HOOK);
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
    await this.whileStopping();
    this.lastId = this.ids.nextId();
    this.hooks.push(hook);
  }
}

describe.each([
  ['with', [ScheduleModule.forRoot()]],
  ['without', []],
])('the shutdown of an app %s ScheduleModule', (kind, schedule) => {
  it('renews the lease until the last hook of the app has ended, and then releases it', async () => {
    const namespace = `leaving-${kind}`;
    const app = await apps.boot({
      imports: [
        ...schedule,
        SnowflakeModule.forRoot({ ...apps.options(namespace), drainTimeoutMs: LONG_DRAIN_MS }),
      ],
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
        SnowflakeModule.forRoot({ ...apps.options(namespace), drainTimeoutMs: LONG_DRAIN_MS }),
      ],
      providers: [SlowToLeave],
    });
    const leaving = app.get(SlowToLeave);
    const registry = app.get(SchedulerRegistry, { strict: false });
    const clock = new Renewals(bystander.get(SnowflakeIdMaker));
    let renewals = 0;
    leaving.whileStopping = async () => {
      if (leaving.hooks.length < 2) return;
      expect(registry.getIntervals()).toEqual([]);
      await clock.more(1);
      const before = leaving.renewalCount;
      for (let turn = 0; turn < MANY_RENEWALS && renewals === 0; turn++) {
        await clock.more(1);
        renewals = leaving.renewalCount - before;
      }
    };
    // By then, the interval has taken over from the timer of the start.
    await new Renewals(app.get(SnowflakeIdMaker)).more(3);
    await apps.close(app);
    expect(leaving.hooks).toHaveLength(3);
    return renewals;
  }

  it('renews the lease by its own timer when the intervals of the app are gone', async () => {
    expect(await renewalsWhileLeaving('own-timer')).toBeGreaterThan(0);
  });
});

const TIMEOUT_MS = 60_000;
const SHORT_DRAIN_MS = 400;
const AN_HOUR_MS = 3_600_000;

/** An app with an HTTP server, and a client that has connected and says nothing: the server never closes. */
class HungApp {
  readonly maker: SnowflakeIdMaker;
  private constructor(
    readonly app: INestApplication,
    readonly client: Socket,
    readonly logs: CapturedLogs,
  ) {
    this.maker = app.get(SnowflakeIdMaker);
  }

  static async start(
    adapter: ExpressAdapter | FastifyAdapter,
    options: SnowflakeModuleOptions,
  ): Promise<HungApp> {
    const logs = new CapturedLogs();
    const module = await Test.createTestingModule({ imports: [SnowflakeModule.forRoot(options)] })
      .setLogger(logs)
      .compile();
    const app = module.createNestApplication<INestApplication>(adapter);
    await app.listen(0, '127.0.0.1');
    const server = app.getHttpServer();
    const accepted = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    await within('the connection', TIMEOUT_MS, accepted);
    return new HungApp(app, client, logs);
  }
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('a server of %s that never closes', (name, adapter) => {
  const namespace = (suffix: string): string => `${name.toLowerCase()}-${suffix}`;

  it('keeps the lease no longer than drainTimeoutMs', async () => {
    const inspector = apps.inspector(namespace('bounded'));
    const options = { ...apps.options(namespace('bounded')), drainTimeoutMs: SHORT_DRAIN_MS };
    hung = await HungApp.start(adapter(), options);
    const { app, client, maker, logs } = hung;
    const events: string[] = [];
    maker.subscribe(({ type }) => events.push(type));
    const lastId = maker.nextId();
    let hasClosed = false;
    // Twice, as a signal and a call of the app do.
    const closed = Promise.all([app.close(), app.close()]).then(() => (hasClosed = true));

    await waitFor('the lease to be released', TIMEOUT_MS, async () => {
      return (await inspector.row(0)).fencingToken === '';
    });
    expect(() => maker.nextId()).toThrow(StoppedError);
    expect((await inspector.row(0)).reservedUntilMs).toBeGreaterThanOrEqual(maker.decode(lastId).timestampMs);
    expect(hasClosed).toBe(false);
    expect(logs.lines).toContainEqual(
      expect.stringContaining(`within drainTimeoutMs (${SHORT_DRAIN_MS} ms)`),
    );

    client.destroy();
    await within('the app to close', TIMEOUT_MS, closed);
    await app.close();
    // `release-failed` if the answer took longer than a stop waits for it.
    expect(events.filter((type) => type.startsWith('release'))).toHaveLength(1);
  });

  it('keeps the lease as long as the client stays if drainTimeoutMs is out of sight (control)', async () => {
    const inspector = apps.inspector(namespace('unbounded'));
    const options = { ...apps.options(namespace('unbounded')), drainTimeoutMs: AN_HOUR_MS };
    hung = await HungApp.start(adapter(), options);
    const { app, client, maker } = hung;
    const closed = app.close();
    await new Renewals(maker).more(6);
    expect((await inspector.row(0)).fencingToken).not.toBe('');
    expect(maker.nextId()).toMatch(/^\d+$/);
    client.destroy();
    await within('the app to close', TIMEOUT_MS, closed);
    await apps.untilReleased(namespace('unbounded'));
  });
});

describe('drainTimeoutMs', () => {
  it.each([0, -1, 0.5, 86_400_001, Number.NaN, '10000'])('refuses %o as drainTimeoutMs', async (value) => {
    const drainTimeoutMs = value as number;
    const boot = apps.boot({
      imports: [SnowflakeModule.forRoot({ ...apps.options('refused'), drainTimeoutMs })],
    });
    await expect(boot).rejects.toThrow(InvalidOptionError);
    await expect(boot).rejects.toThrow(/^drainTimeoutMs .* from 1 to 86400000\./);
  });

  it('suggests drainTimeoutMs for a misspelled name', async () => {
    const options = { ...apps.options('misspelt'), drainTimeoutMS: 1 };
    await expect(apps.boot({ imports: [SnowflakeModule.forRoot(options)] })).rejects.toThrow(
      /^Unknown option "drainTimeoutMS"\. Did you mean "drainTimeoutMs"\?/,
    );
  });
});
