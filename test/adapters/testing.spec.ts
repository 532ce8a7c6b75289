import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import {
  getSnowflakeToken,
  InjectSnowflake,
  SnowflakeIdMaker,
  SnowflakeModule,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { LeaseStore } from 'nestjs-snowflake/standalone';
import {
  fakeIdMaker,
  SnowflakeTestingModule,
  type SnowflakeTestingModuleOptions,
} from 'nestjs-snowflake/testing';
import { prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { DataSource, Entity } from 'typeorm';
import { Apps } from '../nest/support/apps.js';
import { CapturedLogs } from '../nest/support/captured-logs.js';
import { freePort } from '../support/servers/index.js';

@Entity()
class Order {
  @SnowflakeId() id!: string;
}

@Entity()
class AuditEntry {
  @SnowflakeId({ instance: 'audit' }) id!: string;
}

@Injectable()
class Ids {
  constructor(
    readonly main: SnowflakeIdMaker,
    @InjectSnowflake('audit') readonly audit: SnowflakeIdMaker,
  ) {}
}

const sqlite = (...entities: (new () => object)[]) =>
  TypeOrmModule.forRoot({
    type: 'better-sqlite3',
    driver: libsql,
    database: ':memory:',
    prepareDatabase,
    entities,
    synchronize: true,
  });

const opened: TestingModule[] = [];
afterEach(() => Promise.all(opened.splice(0).map((app) => app.close())));

async function boot(
  ...imports: NonNullable<Parameters<typeof Module>[0]['imports']>
): Promise<TestingModule> {
  const test = Test.createTestingModule({ imports, providers: [] }).setLogger(new CapturedLogs());
  const app = await test.compile();
  opened.push(app);
  return app.init();
}

describe('SnowflakeTestingModule', () => {
  it('provides fakes under every name, and serves the entities of each', async () => {
    @Module({ providers: [Ids] })
    class Feature {}
    const app = await boot(
      SnowflakeTestingModule.forRoot({ start: 1001 }),
      SnowflakeTestingModule.forRoot({ start: 5001, step: 10, name: 'audit' }),
      sqlite(Order, AuditEntry),
      Feature,
    );
    const { main, audit } = app.get(Ids, { strict: false });
    expect([main.nextId(), audit.nextId()]).toEqual(['1001', '5001']);
    const { manager } = app.get(DataSource);
    expect(await manager.save(Order, [{}, {}])).toEqual([{ id: '1002' }, { id: '1003' }]);
    expect(await manager.save(AuditEntry, {})).toEqual({ id: '5011' });
    expect(app.get(getSnowflakeToken('audit'))).toBe(audit);
  });

  it('refuses entities of an instance that is not registered', async () => {
    const boots = boot(SnowflakeTestingModule.forRoot({ start: 2001 }), sqlite(AuditEntry));
    await expect(boots).rejects.toMatchObject({ code: 'SNOWFLAKE_UNKNOWN_INSTANCE' });
  });

  it('refuses SnowflakeModule under the same name', async () => {
    const store = redisLeaseStore({ url: `redis://localhost:${await freePort()}`, namespace: 'shop' });
    const boots = boot(SnowflakeTestingModule.forRoot({ start: 2101 }), SnowflakeModule.forRoot({ store }));
    await expect(boots).rejects.toMatchObject({ code: 'SNOWFLAKE_DUPLICATE_INSTANCE' });
  });

  it('replaces a registration whose Redis is down', async () => {
    const url = `redis://localhost:${await freePort()}`;
    const ids = SnowflakeModule.forRootAsync({
      useFactory: () => ({ store: redisLeaseStore({ url, namespace: 'shop' }) }),
    });
    @Module({ imports: [ids, sqlite(Order)] })
    class AppModule {}
    const test = Test.createTestingModule({ imports: [AppModule] }).setLogger(new CapturedLogs());
    test.overrideModule(ids).useModule(SnowflakeTestingModule.forRoot({ start: 3001 }));
    const app = await (await test.compile()).init();
    opened.push(app);
    expect(await app.get(DataSource).manager.save(Order, {})).toEqual({ id: '3001' });
  });

  it('shares one fake among all apps of a file without forRoot()', async () => {
    const first = await boot(SnowflakeTestingModule);
    const second = await boot(SnowflakeTestingModule);
    const ids = first.get(SnowflakeIdMaker, { strict: false });
    expect(second.get(SnowflakeIdMaker, { strict: false })).toBe(ids);
    expect(ids.nextId()).toMatch(/^\d+$/);
  });

  it('shares one fake among the apps that import one registration, and no app stops it', async () => {
    const ids = SnowflakeTestingModule.forRoot({ start: 4001 });
    for (const expected of ['4001', '4002']) {
      const app = await boot(ids);
      expect(app.get(SnowflakeIdMaker).nextId()).toBe(expected);
      await app.close();
    }
  });

  it.each<[string, SnowflakeTestingModuleOptions]>([
    ['SnowflakeTestingModule.store', { store: {} } as SnowflakeTestingModuleOptions],
    ['name', { name: 'a b' }],
    ['fakeIdMaker.start', { start: -1 }],
  ])('refuses a wrong %s in the call', (option, options) => {
    expect(() => SnowflakeTestingModule.forRoot(options)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});

const database = TypeOrmModule.forRoot({
  type: 'better-sqlite3',
  driver: libsql,
  database: ':memory:',
  prepareDatabase,
  entities: [Order, AuditEntry],
  synchronize: true,
});

/** A store whose every call is noted: a test that overrides the ID maker makes none. */
function notedStore(calls: string[]): LeaseStore {
  const noted = (name: string) => async (): Promise<never> => {
    calls.push(name);
    throw new Error(`${name}() was called`);
  };
  return {
    description: 'noted store',
    renewable: true,
    open: noted('open'),
    lease: noted('lease'),
    release: noted('release'),
    inspect: noted('inspect'),
    reconnect: () => void calls.push('reconnect'),
    close: async () => void calls.push('close'),
  };
}

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

const testOf = (...imports: DynamicModule[]): TestingModuleBuilder =>
  Test.createTestingModule({ imports }).setLogger(new CapturedLogs());

async function initialized(test: TestingModuleBuilder): Promise<TestingModule> {
  return (await test.compile()).init();
}

/** How many worker IDs a test leases that overrides something, and an ID that it gets. */
async function leasedBy(
  namespace: string,
  override: (test: TestingModuleBuilder, ids: DynamicModule) => TestingModuleBuilder,
): Promise<{ leases: number; id: string }> {
  const ids = SnowflakeModule.forRootAsync({ useFactory: () => apps.options(namespace) });
  const app = await initialized(override(testOf(ids), ids));
  const id = app.get(SnowflakeIdMaker).nextId();
  await app.close();
  return { leases: (await apps.inspector(namespace).snapshot()).rows.length, id };
}

describe('a test of an app', () => {
  it('leases nothing if the test overrides the registration', async () => {
    const fixed = SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) });
    const { leases, id } = await leasedBy('module', (test, ids) => test.overrideModule(ids).useModule(fixed));
    expect(leases).toBe(0);
    expect(id).toMatch(/^\d+$/);
  });

  it('leases nothing if the test overrides the provider', async () => {
    const ids = fakeIdMaker({ start: 101 });
    const override = (test: TestingModuleBuilder): TestingModuleBuilder =>
      test.overrideProvider(SnowflakeIdMaker).useValue(ids);
    expect(await leasedBy('provider', override)).toEqual({ leases: 0, id: '101' });
    expect(ids.canIssue).toBe(true);
  });

  it('leases a worker ID if the test overrides nothing (control)', async () => {
    expect(await leasedBy('nothing', (test) => test)).toMatchObject({ leases: 1 });
  });
});

describe('an app whose ID makers are overridden', () => {
  it('calls no store and generates the IDs of entities with the fakes', async () => {
    const calls: string[] = [];
    const store = notedStore(calls);
    const test = testOf(
      SnowflakeModule.forRoot({ store }),
      SnowflakeModule.forRoot({ store, name: 'audit' }),
      ScheduleModule.forRoot(),
      database,
    );
    test.overrideProvider(SnowflakeIdMaker).useValue(fakeIdMaker({ start: 201 }));
    test.overrideProvider(getSnowflakeToken('audit')).useValue(fakeIdMaker({ start: 301 }));
    const app = await initialized(test);
    const { manager } = app.get(DataSource);
    expect(await manager.save(Order, [{}, {}])).toEqual([{ id: '201' }, { id: '202' }]);
    expect(await manager.save(AuditEntry, {})).toEqual({ id: '301' });
    expect(app.get(SchedulerRegistry).getIntervals()).toEqual([]);
    await app.close();
    expect(calls).toEqual([]);
  });

  it('calls the store of an instance that is not overridden (control)', async () => {
    const calls: string[] = [];
    const test = testOf(SnowflakeModule.forRoot({ store: notedStore(calls) }));
    await expect(test.compile()).rejects.toThrow('open() was called');
    expect(calls).toContain('open');
  });

  it('boots with a Redis that is down and with missing settings if both makers are overridden', async () => {
    const url = `redis://localhost:${await freePort()}`;
    const down = SnowflakeModule.forRootAsync({
      useFactory: () => ({ store: redisLeaseStore({ url, namespace: 'shop' }) }),
    });
    let asked = 0;
    const missing = SnowflakeModule.forRootAsync({
      name: 'audit',
      useFactory: () => {
        asked += 1;
        throw new Error('REDIS_URL is missing');
      },
    });
    const test = testOf(down, missing, database);
    test.overrideProvider(SnowflakeIdMaker).useValue(fakeIdMaker({ start: 401 }));
    test.overrideProvider(getSnowflakeToken('audit')).useValue(fakeIdMaker({ start: 501 }));
    const app = await initialized(test);
    expect(await app.get(DataSource).manager.save(AuditEntry, {})).toEqual({ id: '501' });
    await app.close();
    expect(asked).toBe(0);
  });

  it('shares one overriding fake among the apps of a file, since closing an app does not stop it', async () => {
    const ids = fakeIdMaker({ start: 601 });
    @Module({ imports: [SnowflakeModule.forRoot({ store: notedStore([]) })] })
    class AppModule {}
    for (const expected of ['601', '602']) {
      const test = Test.createTestingModule({ imports: [AppModule] }).setLogger(new CapturedLogs());
      const app = await initialized(test.overrideProvider(SnowflakeIdMaker).useValue(ids));
      expect(app.get(SnowflakeIdMaker).nextId()).toBe(expected);
      await app.close();
    }
  });

  it('refuses a stub that can’t serve entities, and accepts it without entities', async () => {
    const overridden = (...imports: DynamicModule[]): TestingModuleBuilder =>
      testOf(SnowflakeModule.forRoot({ store: notedStore([]) }), ...imports)
        .overrideProvider(SnowflakeIdMaker)
        .useValue({ nextId: () => '1' });
    const audit = SnowflakeModule.forRoot({ name: 'audit', store: staticLeaseStore({ workerId: 8 }) });
    await expect(initialized(overridden(audit, database))).rejects.toThrow('fakeIdMaker()');
    const app = await initialized(overridden());
    expect(app.get(SnowflakeIdMaker).nextId()).toBe('1');
    await app.close();
  });
});
