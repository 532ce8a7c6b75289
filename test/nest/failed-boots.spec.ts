import libsql from 'libsql';
import {
  InvalidOptionError,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeOptions,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SeriesModule, SeriesSubscriber } from 'nestjs-snowflake/series';
import { UnknownInstanceError, prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { DataSource, Entity } from 'typeorm';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { spawnChild } from '../support/child.js';
import { waitFor, within } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';

const PATIENCE_MS = 60_000;

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

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
  waitFor('the first lease', PATIENCE_MS, () => logs.lines.some((line) => line.includes('leased until')));

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

  it.each(failures)('gives the worker IDs of the others back: one %s', async (kind, spoil, message) => {
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
    await expect(within('the boot to fail', PATIENCE_MS, apps.boot({ imports }, logs))).rejects.toThrow(
      message,
    );
    await apps.untilReleased(namespace);
    expect((await apps.inspector(namespace).snapshot()).rows).toHaveLength(1);
  });

  it('starts none afterwards, and tells the first cause', async () => {
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
          await within('the other to be asked', PATIENCE_MS, slow);
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

  it('ends the wait of the others, and tells why the boot failed', async () => {
    const lease = { ...SHORT_WINDOW, possibleLoss: 'wait' as const };
    const waiting = apps.options('still-waiting', { lease });
    const logs = new CapturedLogs();
    const bad = async (): Promise<SnowflakeOptions> => {
      await waitFor('the other to wait', PATIENCE_MS, () =>
        logs.lines.some((line) => line.includes('Waiting')),
      );
      return { ...apps.options('still-waiting'), holderName: '' };
    };
    const imports = [
      SnowflakeModule.forRoot(waiting),
      SnowflakeModule.forRootAsync({ name: 'bad', useFactory: bad }),
    ];
    const boot = within('the boot to fail', PATIENCE_MS, apps.boot({ imports }, logs));
    await expect(boot).rejects.toBeInstanceOf(InvalidOptionError);
    // Its store is free for another maker.
    const ids = new SnowflakeIdMaker(waiting);
    await ids.start();
    await ids.stop();
  });

  it('leaves the makers of other apps alone', async () => {
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('bystander'))] });
    const bad = { store: redisLeaseStore({ url: apps.server.url, namespace: 'bystander' }), holderName: '' };
    expect(await apps.bootError(SnowflakeModule.forRoot(bad))).toBeInstanceOf(InvalidOptionError);
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
  });

  it('does not keep the process', async () => {
    const child = spawnChild(new URL('./children/failing-boot.ts', import.meta.url), {
      args: [apps.server.url],
    });
    try {
      const told = await child.next(
        (message): message is { message: string } => typeof message === 'object' && message !== null,
      );
      expect(told.message).toContain('holderName');
      expect(await child.untilEnd(PATIENCE_MS)).toEqual({ code: 0, signal: null });
      await apps.untilReleased('child');
    } finally {
      await child.kill();
    }
  });
});

@Entity('lost')
class Lost {
  @SnowflakeId({ instance: 'unknown' })
  id!: string;
}

describe('a boot that the library refuses when its makers have started', () => {
  it('gives their worker IDs back', async () => {
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
      await expect(within('the boot to fail', PATIENCE_MS, boot)).rejects.toThrow(UnknownInstanceError);
      await apps.untilReleased(namespace);
    } finally {
      await dataSource.destroy();
    }
  });

  it.each<[string, string, object, RegExp]>([
    ['the tables of series are missing', 'tables', {}, /tables of series are missing/],
    ['the options of SeriesModule are wrong', 'options', { serie: {} }, /Unknown option "serie"/],
  ])('gives their worker IDs back if %s', async (_problem, kind, options, message) => {
    const namespace = `refused-series-${kind}`;
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
      return options;
    };
    try {
      const imports = [
        SnowflakeModule.forRoot(apps.options(namespace)),
        SeriesModule.forRootAsync({ useFactory }),
      ];
      const providers = [{ provide: DataSource, useValue: dataSource }];
      const boot = apps.boot({ imports, providers }, logs);
      await expect(within('the boot to fail', PATIENCE_MS, boot)).rejects.toThrow(message);
      await apps.untilReleased(namespace);
    } finally {
      await dataSource.destroy();
    }
  });
});
