import 'reflect-metadata';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { getSnowflakeToken, SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { attachSnowflake, prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { CountingSource } from '../integration/typeorm/support/sources.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';
import { supportFolderOf } from './pages.js';

const PATH = 'docs/guides/several-instances.md';
const TYPESCRIPT = new URL('../support/typescript.mjs', import.meta.url).href;

interface Row {
  readonly id: string;
  readonly customerId?: string;
  readonly orderId?: string;
  readonly action?: string;
}

const page = MarkdownPage.read(PATH);
const blocks = page.blocksIn('ts');
const project = new CodeProject(blocks, supportFolderOf(PATH));
const folder = mkdtempSync(join(tmpdir(), 'snowflake-instances-'));
const pool = new MakerPool();
let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  process.env.REDIS_URL = redis.url;
});
afterAll(async () => {
  await pool.stopAll();
  await redis.stop();
  project.remove();
  rmSync(folder, { recursive: true, force: true });
});

const exported = async <Exported>(file: string, name: string): Promise<Exported> => {
  const exports = await project.import<Record<string, Exported>>(file);
  return exports[name]!;
};

const boot = (root: Type): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });

describe('an app with two instances and two DataSources', () => {
  let app: INestApplicationContext;

  beforeAll(async () => {
    const AuditModule = await exported<Type>('audit.module.ts', 'AuditModule');
    const Order = await exported<Type>('order.entity.ts', 'Order');
    const AuditEntry = await exported<Type>('audit-entry.entity.ts', 'AuditEntry');
    const { default: libsql } = await import('libsql');
    const sqlite = { type: 'better-sqlite3', driver: libsql, prepareDatabase, synchronize: true } as const;
    const shop = SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) });
    @Module({
      imports: [
        shop,
        AuditModule,
        TypeOrmModule.forRoot({ ...sqlite, database: join(folder, 'shop.db'), entities: [Order] }),
        TypeOrmModule.forRoot({
          ...sqlite,
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
    const Service = await exported<Type<{ readonly ids: SnowflakeIdMaker }>>(
      'audit.module.ts',
      'AuditService',
    );
    const { ids } = app.get(Service);
    expect(ids.status()).toMatchObject({ state: 'active', store: 'redis namespace "audit"' });
    expect(ids).toBe(app.get(getSnowflakeToken('audit')));
    expect(ids).not.toBe(app.get(SnowflakeIdMaker));
  });

  it('gives the entities of both databases the IDs of their instance', async () => {
    const Order = await exported<new () => Row>('order.entity.ts', 'Order');
    const AuditEntry = await exported<new () => Row>('audit-entry.entity.ts', 'AuditEntry');
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
    const AuditEntry = await exported<new () => Row>('audit-entry.entity.ts', 'AuditEntry');
    const Order = await exported<new () => Row>('order.entity.ts', 'Order');
    const { default: libsql } = await import('libsql');
    const dataSource = new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      entities: [AuditEntry, Order],
      synchronize: true,
    });
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
    const store = sqlLeaseStore({
      dataSource: { type: 'postgres', url: database },
      namespace: 'shop',
      createTable: true,
    });
    const main = await pool.start({ store, lease: { possibleLoss: 'ignore' } });
    const file = project.paths.find((path) => path.endsWith('import.worker.ts'))!;
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
  const ofOtherSpecs = ['Several regions', 'Sharding'].flatMap((section) =>
    page.under(section).blocksIn('ts'),
  );
  const files = project.files.filter((_, at) => !ofOtherSpecs.some(({ text }) => text === blocks[at]!.text));
  expect(files.sort()).toEqual(['audit-entry.entity.ts', 'audit.module.ts', 'import.worker.ts']);
});
