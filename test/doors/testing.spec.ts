import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import { getSnowflakeToken, InjectSnowflake, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeTestingModule, type SnowflakeTestingModuleOptions } from 'nestjs-snowflake/testing';
import { prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { DataSource, Entity } from 'typeorm';
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

  it('checks the entities like SnowflakeModule: an instance that nobody registers is refused', async () => {
    const boots = boot(SnowflakeTestingModule.forRoot({ start: 2001 }), sqlite(AuditEntry));
    await expect(boots).rejects.toMatchObject({ code: 'SNOWFLAKE_UNKNOWN_INSTANCE' });
  });

  it('is refused next to SnowflakeModule under the same name', async () => {
    const store = redisLeaseStore({ url: `redis://localhost:${await freePort()}`, namespace: 'shop' });
    const boots = boot(SnowflakeTestingModule.forRoot({ start: 2101 }), SnowflakeModule.forRoot({ store }));
    await expect(boots).rejects.toMatchObject({ code: 'SNOWFLAKE_DUPLICATE_INSTANCE' });
  });

  it('takes the place of a registration whose Redis is down', async () => {
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

  it('without forRoot() is one fake for all apps of a file', async () => {
    const first = await boot(SnowflakeTestingModule);
    const second = await boot(SnowflakeTestingModule);
    const ids = first.get(SnowflakeIdMaker, { strict: false });
    expect(second.get(SnowflakeIdMaker, { strict: false })).toBe(ids);
    expect(ids.nextId()).toMatch(/^\d+$/);
  });

  it('is one fake for the apps that import one registration, and no app stops it', async () => {
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
    ['start', { start: -1 }],
  ])('refuses a wrong %s at once', (option, options) => {
    expect(() => SnowflakeTestingModule.forRoot(options)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});
