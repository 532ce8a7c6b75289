import { type DynamicModule, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { ConfigModule, ConfigService } from '@nestjs/config';
import {
  getSnowflakeToken,
  InjectSnowflake,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeModuleOptions,
  type SnowflakeOptionsFactory,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { Apps } from './support/apps.js';

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

/** Makes an ID before the app has booted: the lease is held by then. */
@Injectable()
class Orders implements OnModuleInit {
  firstId = '';

  constructor(readonly ids: SnowflakeIdMaker) {}

  onModuleInit(): void {
    this.firstId = this.ids.nextId();
  }
}

/** Imports nothing: the maker is global. */
@Module({ providers: [Orders], exports: [Orders] })
class OrdersModule {}

/** Where useClass and useExisting take the options from. */
@Injectable()
class SnowflakeConfig implements SnowflakeOptionsFactory {
  constructor(private readonly config: ConfigService) {}

  async createSnowflakeOptions(): Promise<SnowflakeModuleOptions> {
    const namespace = this.config.getOrThrow<string>('SNOWFLAKE_NAMESPACE');
    const store = redisLeaseStore({ url: this.config.getOrThrow('REDIS_URL'), namespace });
    return { store, lease: { possibleLoss: 'ignore' }, layout: { workerBits: 6 } };
  }
}

@Module({ providers: [SnowflakeConfig], exports: [SnowflakeConfig] })
class SnowflakeConfigModule {}

const configured = (namespace: string) =>
  ConfigModule.forRoot({
    isGlobal: true,
    ignoreEnvFile: true,
    load: [() => ({ REDIS_URL: apps.server.url, SNOWFLAKE_NAMESPACE: namespace })],
  });

async function expectToIssue(
  imports: NonNullable<Parameters<Apps['boot']>[0]['imports']>,
): Promise<SnowflakeIdMaker> {
  const app = await apps.boot({ imports: [...imports, OrdersModule] });
  const { ids, firstId } = app.get(Orders);
  expect(ids).toBe(app.get(SnowflakeIdMaker));
  expect(ids.decode(firstId).workerId).toBe(0);
  expect(BigInt(ids.nextId())).toBeGreaterThan(BigInt(firstId));
  return ids;
}

describe('SnowflakeModule', () => {
  it('forRoot provides a maker that holds a lease before the app has booted', async () => {
    const ids = await expectToIssue([SnowflakeModule.forRoot(apps.options('for-root'))]);
    expect(ids.status()).toMatchObject({ state: 'active', store: 'redis namespace "for-root"', workerId: 0 });
    const row = await apps.inspector('for-root').row(0);
    expect(row.fencingToken).not.toBe('');
  });

  it('forRootAsync takes its options from a factory with the app config', async () => {
    const ids = await expectToIssue([
      ConfigModule.forRoot({
        ignoreEnvFile: true,
        load: [() => ({ REDIS_URL: apps.server.url })],
      }),
      SnowflakeModule.forRootAsync({
        imports: [ConfigModule],
        inject: [ConfigService],
        useFactory: async (config: ConfigService) => ({
          epoch: '2024-01-01T00:00:00Z',
          layout: { workerBits: 8, sequenceBits: 14 },
          store: redisLeaseStore({ url: config.getOrThrow('REDIS_URL'), namespace: 'factory' }),
          lease: { possibleLoss: 'ignore' as const },
        }),
      }),
    ]);
    expect(ids.layout.fingerprint).toBe(
      'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:8 sequence:14',
    );
    expect(ids.status().store).toBe('redis namespace "factory"');
  });

  it('forRootAsync takes its options from a class', async () => {
    const ids = await expectToIssue([
      configured('class'),
      SnowflakeModule.forRootAsync({ useClass: SnowflakeConfig }),
    ]);
    expect(ids.status().store).toBe('redis namespace "class"');
    expect(ids.layout.maxWorkerId).toBe(63);
  });

  it('forRootAsync takes its options from a provider of another module', async () => {
    const ids = await expectToIssue([
      configured('existing'),
      SnowflakeModule.forRootAsync({ imports: [SnowflakeConfigModule], useExisting: SnowflakeConfig }),
    ]);
    expect(ids.status().store).toBe('redis namespace "existing"');
  });

  it('may get the same store again when the app before it was closed', async () => {
    const options = apps.options('again');
    for (let start = 0; start < 3; start += 1) {
      const app = await apps.boot({ imports: [SnowflakeModule.forRoot(options), OrdersModule] });
      expect(app.get(Orders, { strict: false }).firstId).toMatch(/^\d+$/);
      await apps.close(app);
    }
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(options), OrdersModule] });
    const other = { imports: [SnowflakeModule.forRoot(options)] };
    await expect(apps.boot(other)).rejects.toThrow(/^store is in use by another ID maker/);
    expect(app.get(SnowflakeIdMaker).status().state).toBe('active');
  });

  it('refuses options that are made for each request', async () => {
    const perRequest = SnowflakeModule.forRootAsync({
      inject: [REQUEST],
      useFactory: () => apps.options('per-request'),
    });
    await expect(apps.boot({ imports: [perRequest] })).rejects.toThrow(
      /every request would lease a worker ID/,
    );
    await expect(apps.inspector('per-request').snapshot()).resolves.toHaveProperty('rows', []);
  });

  it('is seen by nobody else with isGlobal: false', async () => {
    const local = (workerId: number): DynamicModule =>
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId }), isGlobal: false });
    await expect(apps.boot({ imports: [local(1), OrdersModule] })).rejects.toThrow(/SnowflakeIdMaker/);

    @Module({ imports: [local(2)], providers: [Orders] })
    class ImportingModule {}
    const app = await apps.boot({ imports: [ImportingModule] });
    expect(app.get(Orders, { strict: false }).firstId).toMatch(/^\d+$/);
  });
});

describe('named instances', () => {
  @Injectable()
  class Audit {
    constructor(
      readonly main: SnowflakeIdMaker,
      @InjectSnowflake() readonly alsoMain: SnowflakeIdMaker,
      @InjectSnowflake('audit') readonly audit: SnowflakeIdMaker,
    ) {}
  }

  it('are makers of their own, injected by name', async () => {
    const app = await apps.boot({
      imports: [
        SnowflakeModule.forRoot(apps.options('named')),
        SnowflakeModule.forRootAsync({ name: 'audit', useFactory: () => apps.options('named') }),
      ],
      providers: [Audit],
    });
    const { main, alsoMain, audit } = app.get(Audit);
    expect(alsoMain).toBe(main);
    expect(audit).toBe(app.get(getSnowflakeToken('audit')));
    expect(audit).not.toBe(main);
    const workerIds = [main, audit].map((maker) => maker.decode(maker.nextId()).workerId);
    expect(workerIds.sort()).toEqual([0, 1]);
  });
});
