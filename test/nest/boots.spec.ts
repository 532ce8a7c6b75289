import { setTimeout as delay } from 'node:timers/promises';
import { type DynamicModule, Module } from '@nestjs/common';
import libsql from 'libsql';
import {
  AcquireTimeoutError,
  DuplicateInstanceError,
  InvalidOptionError,
  LayoutMismatchError,
  type LeaseStore,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeOptions,
  StoreUnavailableError,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { memorySegmentStore, SegmentModule } from 'nestjs-snowflake-segments';
import { SeriesModule, SeriesSubscriber } from 'nestjs-snowflake-series';
import { prepareDatabase, SnowflakeId, UnknownInstanceError } from 'nestjs-snowflake/typeorm';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { DataSource, Entity } from 'typeorm';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { spawnChild } from '../support/child.js';
import { freePort } from '../support/servers/index.js';
import { waitFor, within } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';

const TIMEOUT_MS = 60_000;

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

describe('an app that registers one name twice', () => {
  const forRoot = (namespace: string): DynamicModule => SnowflakeModule.forRoot(apps.options(namespace));
  const forRootAsync = (namespace: string, name?: string): DynamicModule =>
    SnowflakeModule.forRootAsync({ name, useFactory: () => apps.options(namespace) });

  it.each<[string, string, (namespace: string) => DynamicModule[]]>([
    ['default', 'two of forRoot', (namespace) => [forRoot(namespace), forRoot(namespace)]],
    ['default', 'forRoot and forRootAsync', (namespace) => [forRoot(namespace), forRootAsync(namespace)]],
    [
      'audit',
      'two named',
      (namespace) => [forRootAsync(namespace, 'audit'), forRootAsync(namespace, 'audit')],
    ],
    [
      'audit',
      'two named beside a default one',
      (namespace) => [forRoot(namespace), forRootAsync(namespace, 'audit'), forRootAsync(namespace, 'audit')],
    ],
  ])("refuses to boot, and leaves no lease of '%s' behind: %s", async (name, kind, modules) => {
    const namespace = `twice-${kind.replaceAll(' ', '-')}`;
    const error = await apps.bootError(...modules(namespace));
    expect(error).toBeInstanceOf(DuplicateInstanceError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_DUPLICATE_INSTANCE', instanceName: name });
    await apps.untilReleased(namespace);
  });

  it('boots if it imports one registration in two places', async () => {
    const registration = forRoot('shared-registration');
    @Module({ imports: [registration] })
    class FeatureModule {}
    const app = await apps.boot({ imports: [registration, FeatureModule] });
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
    expect((await apps.inspector('shared-registration').snapshot()).rows).toHaveLength(1);
  });
});

describe('an app whose store is down [promise: fail-closed]', () => {
  it('fails to boot with a typed error within acquireTimeoutMs if the store is down', async () => {
    const store = redisLeaseStore({ url: `redis://127.0.0.1:${await freePort()}`, namespace: 'down' });
    // Far less than the default, and than this test waits, but time for a first call on a machine that stalls.
    const acquireTimeoutMs = 5000;
    const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs };
    const error = await apps.bootError(SnowflakeModule.forRoot({ store, lease }));
    expect(error).toBeInstanceOf(AcquireTimeoutError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_ACQUIRE_TIMEOUT', timeoutMs: acquireTimeoutMs });
    // What the last call failed with: a refused connection, or a deadline if the machine stalled.
    const { cause, message } = error as AcquireTimeoutError;
    expect(cause).toBeInstanceOf(StoreUnavailableError);
    expect(message).toContain((cause as StoreUnavailableError).message);
  });

  it('boots if the store comes up in time', async () => {
    const options = apps.options('late', {
      lease: { ...SHORT_WINDOW, windowMs: 60_000, possibleLoss: 'ignore', acquireTimeoutMs: TIMEOUT_MS },
    });
    apps.server.pause();
    const logs = new CapturedLogs();
    const boot = apps.boot({ imports: [SnowflakeModule.forRoot(options)] }, logs);
    await waitFor('a failed call', TIMEOUT_MS, () => logs.lines.length > 0);
    apps.server.resume();
    expect((await boot).get(SnowflakeIdMaker).canIssue).toBe(true);
  });
});

/** A store that opens only when it is let to. */
class SlowToOpen implements LeaseStore {
  readonly description = 'custom store';
  readonly renewable = true;
  readonly calls: string[] = [];
  letOpen: () => void = () => undefined;
  private readonly inner = memoryLeaseStore();
  private readonly mayOpen = new Promise<void>((resolve) => (this.letOpen = resolve));

  lease: LeaseStore['lease'] = (request) => this.inner.lease(request);
  release: LeaseStore['release'] = (request) => this.inner.release(request);
  inspect = () => this.inner.inspect();

  async open(): Promise<void> {
    this.calls.push('open');
    await this.mayOpen;
    this.calls.push('opened');
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}

describe('an app whose store does not open', () => {
  const acquireTimeoutMs = 1000;
  const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs };

  it('fails to boot within acquireTimeoutMs if a store does not open, and releases the other leases', async () => {
    const store = new SlowToOpen();
    const tokens = async (): Promise<string[]> =>
      (await apps.inspector('beside-a-hang').snapshot()).rows.map(({ fencingToken }) => fencingToken);
    const error = await apps.bootError(
      SnowflakeModule.forRoot(apps.options('beside-a-hang')),
      SnowflakeModule.forRootAsync({
        name: 'audit',
        useFactory: async () => {
          // Nothing could be released until then.
          await waitFor('the other lease', TIMEOUT_MS, async () => (await tokens()).length > 0);
          return { store, lease };
        },
      }),
    );
    expect(error).toBeInstanceOf(AcquireTimeoutError);
    expect(error).toMatchObject({
      code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
      timeoutMs: acquireTimeoutMs,
      message: expect.stringMatching(/1000 ms.*did not open/),
    });
    expect(store.calls).toEqual(['open']);
    await apps.untilReleased('beside-a-hang');
    expect(await tokens()).toEqual(['']);
  });

  it('leaves a store that opens late to the next app, which closes it', async () => {
    const store = new SlowToOpen();
    const module = SnowflakeModule.forRoot({ store, lease });
    expect(await apps.bootError(module)).toBeInstanceOf(AcquireTimeoutError);
    expect(await apps.bootError(module)).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'store' });
    store.letOpen();
    await delay(0);
    expect(store.calls).toEqual(['open', 'opened', 'close']);

    const app = await apps.boot({ imports: [module] });
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
    await apps.close(app);
    expect(store.calls.slice(3)).toEqual(['open', 'opened', 'close']);
  });
});

describe('an app with options that cannot work', () => {
  it.each<[string, string, () => SnowflakeOptions]>([
    ['no store', 'store', () => ({}) as SnowflakeOptions],
    ['no options', 'options', () => undefined as unknown as SnowflakeOptions],
    [
      'a window that is too short',
      'lease.windowMs',
      () => apps.options('odd', { lease: { windowMs: 10, possibleLoss: 'ignore' } }),
    ],
  ])('names the wrong option: %s', async (_problem, option, useFactory) => {
    const error = await apps.bootError(SnowflakeModule.forRootAsync({ useFactory }));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option });
    expect((await apps.inspector('odd').snapshot()).rows).toEqual([]);
  });

  it('refuses to boot on a namespace of another layout', async () => {
    await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('mismatch'))] });
    const other = apps.options('mismatch', { layout: { workerBits: 5 } });
    expect(await apps.bootError(SnowflakeModule.forRoot(other))).toBeInstanceOf(LayoutMismatchError);
  });
});

/** Worker IDs of a namespace that somebody holds. */
async function heldIn(namespace: string): Promise<number[]> {
  const { rows } = await apps.inspector(namespace).snapshot();
  return rows.filter(({ fencingToken }) => fencingToken !== '').map(({ workerId }) => workerId);
}

/**
 * Settles once a maker of the app knows of its lease: until then, nothing would be left behind. The store knows of it before,
 * and a stop doesn't wait long for a reply.
 */
const untilLeased = (logs: CapturedLogs): Promise<unknown> =>
  waitFor('the first lease', TIMEOUT_MS, () => logs.lines.some((line) => line.includes('leased until')));

describe('a boot that fails with one instance', () => {
  const failures: [string, (options: SnowflakeOptions) => SnowflakeOptions, string | RegExp][] = [
    ['is refused', (options) => ({ ...options, holderName: '' }), /^holderName /],
    [
      'cannot have its options',
      () => {
        throw new Error('no such secret');
      },
      'no such secret',
    ],
    ['has no options', () => undefined as unknown as SnowflakeOptions, /^options are missing/],
  ];

  it.each(failures)('releases the worker IDs of other instances if one %s', async (kind, spoil, message) => {
    const namespace = `late-${kind.replaceAll(' ', '-')}`;
    const logs = new CapturedLogs();
    const imports = [
      SnowflakeModule.forRoot(apps.options(namespace)),
      SnowflakeModule.forRootAsync({
        name: 'bad',
        useFactory: async () => {
          await untilLeased(logs);
          return spoil(apps.options(namespace));
        },
      }),
    ];
    await expect(within('the boot to fail', TIMEOUT_MS, apps.boot({ imports }, logs))).rejects.toThrow(
      message,
    );
    await apps.untilReleased(namespace);
    expect((await apps.inspector(namespace).snapshot()).rows).toHaveLength(1);
  });

  it('starts no instance after one has failed, and throws the first cause', async () => {
    const namespace = 'not-afterwards';
    let hasFailed = (): void => undefined;
    const failed = new Promise<void>((resolve) => (hasFailed = resolve));
    let slowIsAsked = (): void => undefined;
    const slow = new Promise<void>((resolve) => (slowIsAsked = resolve));
    const boot = apps.bootError(
      SnowflakeModule.forRootAsync({
        name: 'slow',
        useFactory: async () => {
          slowIsAsked();
          await failed;
          return apps.options(namespace);
        },
      }),
      SnowflakeModule.forRootAsync({
        name: 'bad',
        useFactory: async () => {
          await within('the other to be asked', TIMEOUT_MS, slow);
          return { ...apps.options(namespace), holderName: '' };
        },
      }),
    );
    expect(await boot).toBeInstanceOf(InvalidOptionError);
    hasFailed();
    // Another holder of the namespace comes after whoever would have started.
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options(namespace))] });
    expect(app.get(SnowflakeIdMaker).status().workerId).toBe(0);
    expect(await heldIn(namespace)).toEqual([0]);
  });

  it('ends the wait of other instances, and throws why the boot failed', async () => {
    const lease = { ...SHORT_WINDOW, possibleLoss: 'wait' as const };
    const waiting = apps.options('still-waiting', { lease });
    const logs = new CapturedLogs();
    const bad = async (): Promise<SnowflakeOptions> => {
      await waitFor('the other to wait', TIMEOUT_MS, () =>
        logs.lines.some((line) => line.includes('Waiting')),
      );
      return { ...apps.options('still-waiting'), holderName: '' };
    };
    const imports = [
      SnowflakeModule.forRoot(waiting),
      SnowflakeModule.forRootAsync({ name: 'bad', useFactory: bad }),
    ];
    const boot = within('the boot to fail', TIMEOUT_MS, apps.boot({ imports }, logs));
    await expect(boot).rejects.toBeInstanceOf(InvalidOptionError);
    // Its store is free for another maker.
    const ids = new SnowflakeIdMaker(waiting);
    await ids.start();
    await ids.stop();
  });

  it('leaves the makers of other apps running', async () => {
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('bystander'))] });
    const bad = { store: redisLeaseStore({ url: apps.server.url, namespace: 'bystander' }), holderName: '' };
    expect(await apps.bootError(SnowflakeModule.forRoot(bad))).toBeInstanceOf(InvalidOptionError);
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
  });

  it.each([
    ['instance', 'an instance is refused', /holderName/],
    ['series', 'the tables of series are missing', /tables of series are missing/],
  ])(
    'lets the process end, and releases the worker IDs of a failed boot: %s, where %s',
    async (kind, _problem, message) => {
      const namespace = `child-${kind}`;
      const child = spawnChild(new URL('./children/failing-boot.ts', import.meta.url), {
        args: [apps.server.url, kind, namespace],
      });
      try {
        const failure = await child.next(
          (sent): sent is { message: string } => typeof sent === 'object' && sent !== null,
        );
        expect(failure.message).toMatch(message);
        expect(await child.untilEnd(TIMEOUT_MS)).toEqual({ code: 0, signal: null });
        await apps.untilReleased(namespace);
      } finally {
        await child.kill();
      }
    },
  );
});

const seriesModule = (options: object): DynamicModule => SeriesModule.forRootAsync(options);
const segmentModule = (options: object): DynamicModule => SegmentModule.forRootAsync(options);
const consoleModule = (options: object): DynamicModule => SnowflakeConsoleModule.forRootAsync(options);

@Entity('lost')
class Lost {
  @SnowflakeId({ instance: 'unknown' })
  id!: string;
}

describe('a boot that the library refuses when its makers have started', () => {
  it('releases the worker IDs if an entity names an unknown instance', async () => {
    const namespace = 'refused-at-the-end';
    const dataSource = await new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      prepareDatabase,
      entities: [Lost],
    }).initialize();
    try {
      const boot = apps.boot({
        imports: [SnowflakeModule.forRoot(apps.options(namespace))],
        providers: [{ provide: DataSource, useValue: dataSource }],
      });
      await expect(within('the boot to fail', TIMEOUT_MS, boot)).rejects.toThrow(UnknownInstanceError);
      await apps.untilReleased(namespace);
    } finally {
      await dataSource.destroy();
    }
  });

  const failing = (): never => {
    throw new Error('no such secret');
  };

  it.each<[string, string, (options: object) => DynamicModule, () => object, RegExp]>([
    ['the tables of series are missing', 'tables', seriesModule, () => ({}), /tables of series are missing/],
    [
      'the options of SeriesModule are wrong',
      'series-options',
      seriesModule,
      () => ({ serie: {} }),
      /Unknown option "serie"/,
    ],
    ['SeriesModule cannot have its options', 'series-factory', seriesModule, failing, /no such secret/],
    ['SegmentModule cannot have its options', 'segment-factory', segmentModule, failing, /no such secret/],
    [
      'the options of SegmentModule are wrong',
      'segment-options',
      segmentModule,
      () => ({ store: memorySegmentStore(), drainTimeout: 5 }),
      /Unknown option "drainTimeout"/,
    ],
    ['the console cannot have its options', 'console-factory', consoleModule, failing, /no such secret/],
    ['the options of the console are wrong', 'console-options', consoleModule, () => ({}), /authorize/],
  ])('releases the worker IDs if %s', async (_problem, kind, moduleOf, optionsOf, message) => {
    const namespace = `refused-${kind}`;
    const dataSource = await new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      prepareDatabase,
      subscribers: [SeriesSubscriber],
    }).initialize();
    const logs = new CapturedLogs();
    const useFactory = async (): Promise<object> => {
      await untilLeased(logs);
      return optionsOf();
    };
    try {
      const imports = [SnowflakeModule.forRoot(apps.options(namespace)), moduleOf({ useFactory })];
      const providers = [{ provide: DataSource, useValue: dataSource }];
      const boot = apps.boot({ imports, providers }, logs);
      await expect(within('the boot to fail', TIMEOUT_MS, boot)).rejects.toThrow(message);
      await apps.untilReleased(namespace);
    } finally {
      await dataSource.destroy();
    }
  });
});
