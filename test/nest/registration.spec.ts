import { type DynamicModule, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { LazyModuleLoader, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  getSnowflakeToken,
  InjectSnowflake,
  InvalidOptionError,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeModuleOptions,
  type SnowflakeOptionsFactory,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

/** Generates an ID before the app has booted: the lease is held by then. */
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
  it('provides a maker that holds a lease before the app has booted', async () => {
    const ids = await expectToIssue([SnowflakeModule.forRoot(apps.options('for-root'))]);
    expect(ids.status()).toMatchObject({ state: 'active', store: 'redis namespace "for-root"', workerId: 0 });
    const row = await apps.inspector('for-root').row(0);
    expect(row.fencingToken).not.toBe('');
  });

  it('takes its options from a factory with the app config', async () => {
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

  it('takes its options from a class', async () => {
    const ids = await expectToIssue([
      configured('class'),
      SnowflakeModule.forRootAsync({ useClass: SnowflakeConfig }),
    ]);
    expect(ids.status().store).toBe('redis namespace "class"');
    expect(ids.layout.maxWorkerId).toBe(63);
  });

  it('takes its options from a provider of another module', async () => {
    const ids = await expectToIssue([
      configured('existing'),
      SnowflakeModule.forRootAsync({ imports: [SnowflakeConfigModule], useExisting: SnowflakeConfig }),
    ]);
    expect(ids.status().store).toBe('redis namespace "existing"');
  });

  it('accepts the store of an app that was closed', async () => {
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
      /every request would lease its own worker ID/,
    );
    await expect(apps.inspector('per-request').snapshot()).resolves.toHaveProperty('rows', []);
  });

  it('provides the maker to importing modules only, with isGlobal: false', async () => {
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

  it('injects a maker of its own for each name', async () => {
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

type AsyncOptions = Parameters<typeof SnowflakeModule.forRootAsync>[0];

const options = (): SnowflakeModuleOptions => ({ store: staticLeaseStore({ workerId: 3 }) });

async function bootWith(...imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) {
  const app = await Test.createTestingModule({ imports }).setLogger(new CapturedLogs()).compile();
  return app.init();
}

function expectRefused(call: () => unknown, option: string): void {
  expect(call).toThrow(InvalidOptionError);
  expect(call).toThrow(expect.objectContaining({ option, code: 'SNOWFLAKE_INVALID_OPTION' }));
}

describe('SnowflakeModule without options', () => {
  const given: unknown[] = [null, 7, 'redis://localhost', []];

  it.each(given)('refuses %o in the call of forRoot', (none) => {
    const call = () => SnowflakeModule.forRoot(none as SnowflakeModuleOptions);
    expect(call).toThrow(InvalidOptionError);
    expect(call).toThrow(/forRoot\(options\) must be an object/);
  });

  it.each([undefined, ...given, {}, { inject: [ConfigService] }])(
    'refuses %o in the call of forRootAsync',
    (none) => {
      const call = () => SnowflakeModule.forRootAsync(none as AsyncOptions);
      expect(call).toThrow(InvalidOptionError);
      expect(call).toThrow(/forRootAsync\(options\) .*useFactory/);
    },
  );
});

describe('SnowflakeModule.forRoot() without a store', () => {
  afterEach(() => {
    delete process.env['NODE_ENV'];
  });

  it('boots in development with a lease in memory, also if NODE_ENV is set after the call', async () => {
    const imports = [SnowflakeModule.forRoot()];
    process.env['NODE_ENV'] = 'development';
    const app = await Test.createTestingModule({ imports }).setLogger(new CapturedLogs()).compile();
    await app.init();
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d{18,19}$/);
    await app.close();
  });

  it.each(['production', undefined])('fails the boot where NODE_ENV is %s', async (nodeEnv) => {
    if (nodeEnv !== undefined) process.env['NODE_ENV'] = nodeEnv;
    const boot = Test.createTestingModule({ imports: [SnowflakeModule.forRoot()] }).compile();
    await expect(boot).rejects.toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'store' });
  });
});

describe('the name of an instance', () => {
  it.each([Symbol('audit'), 'a b', '', 5, {}, 'x'.repeat(65)])(
    'refuses %o as the name of an instance',
    (given) => {
      const name = given as string;
      expectRefused(() => SnowflakeModule.forRoot({ ...options(), name }), 'name');
      expectRefused(() => SnowflakeModule.forRootAsync({ useFactory: options, name }), 'name');
      expectRefused(() => getSnowflakeToken(name), 'name');
      expectRefused(() => InjectSnowflake(name), 'name');
    },
  );
});

describe('what stands beside the options', () => {
  it.each<[string, object]>([
    ['nmae', { useFactory: options, nmae: 'audit' }],
    ['isglobal', { useFactory: options, isglobal: false }],
    ['store', { useFactory: options, store: staticLeaseStore({ workerId: 1 }) }],
    ['isGlobal', { useFactory: options, isGlobal: 'false' }],
    ['useFactory', { useFactory: 5 }],
    ['useFactory', { useFactory: options() }],
    ['useClass', { useClass: options() }],
    ['useExisting', { useExisting: options() }],
    ['inject', { useFactory: options, inject: ConfigService }],
  ])('refuses a wrong %s in the call of forRootAsync: %o', (option, given) => {
    expectRefused(() => SnowflakeModule.forRootAsync(given as AsyncOptions), option);
  });

  it('refuses a wrong isGlobal in the call of forRoot', () => {
    const isGlobal = 'false' as unknown as boolean;
    expectRefused(() => SnowflakeModule.forRoot({ ...options(), isGlobal }), 'isGlobal');
  });

  it('accepts everything that Nest allows beside the options', async () => {
    const app = await bootWith(
      SnowflakeModule.forRootAsync({
        name: 'audit',
        isGlobal: true,
        imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ WORKER_ID: 9 })] })],
        inject: [ConfigService, 'label', { token: 'nothing', optional: true }],
        provideInjectionTokensFrom: [{ provide: 'label', useValue: 'a label' }],
        useFactory: (config: ConfigService, label: string, nothing: unknown) => {
          expect({ label, nothing }).toEqual({ label: 'a label', nothing: undefined });
          return { store: staticLeaseStore({ workerId: config.getOrThrow('WORKER_ID') }) };
        },
      }),
    );
    expect(app.get<SnowflakeIdMaker>(getSnowflakeToken('audit')).status().workerId).toBe(9);
    await app.close();
  });
});

describe('a class that is to provide the options', () => {
  @Injectable()
  class Empty {}

  @Module({ providers: [Empty], exports: [Empty] })
  class EmptyModule {}

  it.each<[string, object]>([
    ['useClass', { useClass: Empty }],
    ['useExisting', { imports: [EmptyModule], useExisting: Empty }],
  ])('refuses a class without createSnowflakeOptions(): %s', async (_source, given) => {
    const boot = bootWith(SnowflakeModule.forRootAsync(given as AsyncOptions));
    await expect(boot).rejects.toThrow(InvalidOptionError);
    await expect(boot).rejects.toThrow(
      /^useClass or useExisting must have the method createSnowflakeOptions\(\)/,
    );
  });

  it('accepts a class with createSnowflakeOptions as a property', async () => {
    @Injectable()
    class Config implements SnowflakeOptionsFactory {
      createSnowflakeOptions = options;
    }
    const app = await bootWith(SnowflakeModule.forRootAsync({ useClass: Config }));
    expect(app.get(SnowflakeIdMaker).status().workerId).toBe(3);
    await app.close();
  });
});

describe('SnowflakeModule itself', () => {
  @Module({ imports: [SnowflakeModule] })
  class FeatureModule {}

  it('refuses SnowflakeModule itself as an import, since it has no options', async () => {
    const boot = bootWith(SnowflakeModule);
    await expect(boot).rejects.toThrow(InvalidOptionError);
    await expect(boot).rejects.toThrow(/^imports lists the class itself.*SnowflakeModule\.forRoot\(/);
  });

  it('refuses SnowflakeModule itself beside a registration', async () => {
    await expect(bootWith(SnowflakeModule.forRoot(options()), FeatureModule)).rejects.toThrow(
      /^imports lists the class itself/,
    );
    await expect(bootWith(FeatureModule, SnowflakeModule.forRoot(options()))).rejects.toThrow(
      /^imports lists the class itself/,
    );
  });
});

describe('an app that has booted', () => {
  it.each<[string, (namespace: string) => ReturnType<typeof SnowflakeModule.forRoot>]>([
    ['forRoot', (namespace) => SnowflakeModule.forRoot({ ...apps.options(namespace), name: 'lazy' })],
    [
      'forRootAsync',
      (namespace) =>
        SnowflakeModule.forRootAsync({ name: 'lazy', useFactory: () => apps.options(namespace) }),
    ],
  ])('refuses to load a further instance lazily, since nothing would stop it: %s', async (kind, lazy) => {
    const namespace = `lazy-${kind}`;
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options(namespace))] });
    const load = app.get(LazyModuleLoader).load(() => lazy(namespace));
    await expect(load).rejects.toBeInstanceOf(InvalidOptionError);
    await expect(load).rejects.toMatchObject({ option: 'imports' });
    expect((await apps.inspector(namespace).snapshot()).rows).toHaveLength(1);
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
  });

  it('loads a module lazily that injects its maker', async () => {
    @Injectable()
    class Reports {
      constructor(readonly ids: SnowflakeIdMaker) {}
    }
    @Module({ providers: [Reports], exports: [Reports] })
    class ReportsModule {}
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('lazy-user'))] });
    const moduleRef = await app.get(LazyModuleLoader).load(() => ReportsModule);
    expect(moduleRef.get(Reports).ids).toBe(app.get(SnowflakeIdMaker));
  });
});
