import 'reflect-metadata';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { getSnowflakeToken, SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { attachSnowflake, prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { CountingSource } from '../integration/typeorm/support/sources.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { boot } from '../support/boot.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';
import { databaseFor, startRedis } from '../support/servers/index.js';
import { fileOf } from './code-files.js';
import { PageCode } from './page-code.js';

const TYPESCRIPT = new URL('../support/typescript.mjs', import.meta.url).href;

interface Row {
  readonly id: string;
  readonly customerId?: string;
  readonly orderId?: string;
  readonly action?: string;
}

const code = new PageCode('docs/guides/several-instances.md');
const cleanUp = cleanUpAfterAll();
const folder = temporaryFolder(cleanUp);
const pool = new MakerPool();

const redis = await startRedis();
cleanUp(() => redis.stop());
cleanUp(() => pool.stopAll());
process.env.REDIS_URL = redis.url;

const { default: libsql } = await import('libsql');
const sqlite = { type: 'better-sqlite3', driver: libsql, synchronize: true } as const;

describe('an app with two instances and two DataSources', () => {
  let app: INestApplicationContext;

  beforeAll(async () => {
    const AuditModule = await code.run<Type>('audit.module.ts', 'AuditModule');
    const Order = await code.run<Type>('order.entity.ts', 'Order');
    const AuditEntry = await code.run<Type>('audit-entry.entity.ts', 'AuditEntry');
    const ofApp = { ...sqlite, prepareDatabase };
    const shop = SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) });
    @Module({
      imports: [
        shop,
        AuditModule,
        TypeOrmModule.forRoot({ ...ofApp, database: join(folder, 'shop.db'), entities: [Order] }),
        TypeOrmModule.forRoot({
          ...ofApp,
          name: 'audit',
          database: join(folder, 'audit.db'),
          entities: [AuditEntry],
        }),
      ],
    })
    class Root {}
    app = await boot(Root);
  });
  afterAll(() => app?.close());

  it('injects the instance that a name asks for', async () => {
    const Service = await code.run<Type<{ readonly ids: SnowflakeIdMaker }>>(
      'audit.module.ts',
      'AuditService',
    );
    const { ids } = app.get(Service);
    expect(ids.status()).toMatchObject({ state: 'active', store: 'redis namespace "audit"' });
    expect(ids).toBe(app.get(getSnowflakeToken('audit')));
    expect(ids).not.toBe(app.get(SnowflakeIdMaker));
  });

  it('gives the entities of both databases the IDs of their instance', async () => {
    const Order = await code.run<new () => Row>('order.entity.ts', 'Order');
    const AuditEntry = await code.run<new () => Row>('audit-entry.entity.ts', 'AuditEntry');
    const ids = app.get(SnowflakeIdMaker);
    const order = await app.get(DataSource).manager.save(Order, { customerId: ids.nextId() });
    const audit = app.get<DataSource>(getDataSourceToken('audit'));
    const entry = await audit.manager.save(AuditEntry, { orderId: order.id, action: 'created' });
    expect(ids.decode(order.id).workerId).toBe(7);
    expect(ids.decode(entry.id).workerId).toBe(0);
    await expect(audit.manager.find(AuditEntry)).resolves.toEqual([
      { id: entry.id, orderId: order.id, action: 'created' },
    ]);
  });
});

describe('a DataSource without Nest', () => {
  it('takes its IDs from the instances by name', async () => {
    const AuditEntry = await code.run<new () => Row>('audit-entry.entity.ts', 'AuditEntry');
    const Order = await code.run<new () => Row>('order.entity.ts', 'Order');
    const dataSource = new DataSource({ ...sqlite, database: ':memory:', entities: [AuditEntry, Order] });
    const [ids, auditIds] = [new CountingSource(), new CountingSource()];
    attachSnowflake(dataSource, { default: ids, audit: auditIds });
    await dataSource.initialize();
    await dataSource.manager.insert(Order, { customerId: '1' });
    await dataSource.manager.insert(AuditEntry, { orderId: '1', action: 'created' });
    expect([ids.issued.length, auditIds.issued.length]).toEqual([1, 1]);
    await dataSource.destroy();
  });
});

describe('worker threads', () => {
  it('worker threads lease their own worker IDs', async () => {
    const database = await databaseFor('postgres', 'several instances');
    const store = sqlLeaseStore({ url: database, namespace: 'shop', createTable: true });
    const main = await pool.start({ store, lease: { possibleLoss: 'ignore' } });
    const file = code.pathOf('import.worker.ts');
    const made = await Promise.all(
      [1, 2].map(async () => {
        const execArgv = ['--import', TYPESCRIPT];
        const worker = new Worker(file, { execArgv, workerData: { database, count: 1000 } });
        // Waits for both at once, because a thread emits its message and its exit in the same turn of the event loop.
        const [[ids]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
        return ids as string[];
      }),
    );
    const all = [...made.flat(), ...main.nextIds(1000)];
    expect(new Set(all).size).toBe(3000);
  });
});

it('the spec knows every file of the page', () => {
  const ofOtherSpecs = ['Several regions', 'Sharding']
    .flatMap((section) => code.page.under(section).blocksIn('ts'))
    .map(fileOf);
  expect([...code.files].sort()).toEqual(
    [...ofOtherSpecs, 'audit-entry.entity.ts', 'audit.module.ts', 'import.worker.ts'].sort(),
  );
});
