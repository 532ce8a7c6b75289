import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import ts from 'typescript';
import { DataSource, type MigrationInterface } from 'typeorm';
import { databaseFor } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { MarkdownPage } from './markdown.js';
import { PageCode } from './page-code.js';
import { supportFolderOf } from './pages.js';

const PATH = 'docs/stores/sql.md';
const page = MarkdownPage.read(PATH).under('Migrations');
const TIMEOUT_MS = 30_000;

let url: string;
let app: App;

beforeAll(async () => {
  url = await databaseFor('postgres', 'migrations page');
  app = new App(url);
});
afterAll(() => app?.remove());

describe('the page on migrations [promise: exact-keys]', () => {
  it('a lease without the tables fails with the name of the table (control)', async () => {
    await expect(leaseOnce()).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('relation "snowflake_lease_namespace" does not exist'),
    });
  });

  it('the commands create all tables in an empty database, after which a process can lease', async () => {
    const [generate, run] = page.blocksIn('sh').map(({ text }) => text.trim().split('\n'));
    for (const command of [...generate!, ...run!]) await app.run(command);
    expect(app.migrations).toEqual([expect.stringContaining('CREATE TABLE "orders"')]);
    expect(await leaseOnce()).toBe(0);
    const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
    const rows: unknown = await dataSource.query(
      `SELECT data_type FROM information_schema.columns WHERE table_name = 'orders' AND column_name = 'id'`,
    );
    await dataSource.destroy();
    expect(rows).toEqual([{ data_type: 'bigint' }]);
  });

  it('a command records the migrations on a database that synchronize has made', async () => {
    const made = await databaseFor('postgres', 'migrations page, made');
    const code = new PageCode(PATH);
    process.env.DATABASE_URL = made;
    const { options } = await code.run<DataSource>('src/data-source.ts', 'default');
    const old = await new DataSource({ ...options, migrations: [], synchronize: true }).initialize();
    const store = sqlLeaseStore({
      dataSource: { type: 'postgres', url: made },
      namespace: 'shop',
      createTable: true,
    });
    const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
    await ids.start();
    await ids.stop();
    app.use(made);
    const [, , fake] = page.blocksIn('sh');
    await app.run(fake!.text.trim());
    const recorded: unknown[] = await old.query('SELECT name FROM migrations');
    await old.destroy();
    code.remove();
    expect(recorded).toHaveLength(2);
  });

  it('the module takes its lease after the migrations that run at boot', async () => {
    const empty = await databaseFor('postgres', 'migrations page, at boot');
    const code = new PageCode(PATH);
    process.env.DATABASE_URL = empty;
    try {
      const { migrations } = await code
        .run<DataSource>('src/data-source.ts', 'default')
        .then(({ options }) => options);
      const [leaseTables] = migrations as unknown[];
      const database = TypeOrmModule.forRoot({
        type: 'postgres',
        url: empty,
        migrations: [leaseTables as never],
        migrationsRun: true,
      });
      const snowflake = SnowflakeModule.forRootAsync({
        inject: [DataSource],
        useFactory: (dataSource: DataSource) => ({ store: sqlLeaseStore({ dataSource, namespace: 'shop' }) }),
      });
      @Module({ imports: [database, snowflake] })
      class AppModule {}
      const booted = await NestFactory.createApplicationContext(AppModule, {
        logger: false,
        abortOnError: false,
      });
      const ids = booted.get(SnowflakeIdMaker, { strict: false });
      expect(ids.decode(ids.nextId()).workerId).toBe(0);
      await booted.close();
    } finally {
      code.remove();
    }
  });

  it.each(page.tablesUnder('Add the tables of the library')[0]!.rows)(
    'a DataSource for %s can list the migration %s of %s',
    async (_, migration, module) => {
      const [name = '', path = ''] = [migration, module].map((cell) => cell?.replaceAll('`', ''));
      const exported = (await import(path)) as Record<string, new () => MigrationInterface>;
      expect(new exported[name]!()).toMatchObject({ name });
    },
  );
});

async function leaseOnce(): Promise<number> {
  const ids = new SnowflakeIdMaker({
    store: sqlLeaseStore({ dataSource: { type: 'postgres', url }, namespace: 'shop' }),
    lease: { possibleLoss: 'ignore' },
  });
  await ids.start();
  try {
    return ids.decode(ids.nextId()).workerId;
  } finally {
    await ids.stop();
  }
}

/** An app with the files of the page, whose commands run as a user types them. */
class App extends CodeProject {
  constructor(databaseUrl: string) {
    super(page.blocksIn('ts'), supportFolderOf(PATH));
    this.use(databaseUrl);
  }

  /** Sets the database in the file of the environment. */
  use(databaseUrl: string): void {
    writeFileSync(join(this.folder, '.env'), `DATABASE_URL=${databaseUrl}\n`);
  }

  async run(command: string): Promise<string> {
    if (command === 'npm run build') return this.build();
    const [program = '', ...args] = command.split(' ');
    // The environment of this process has no DATABASE_URL that would hide the file's.
    const { DATABASE_URL: _, ...env } = process.env;
    const options = { cwd: this.folder, timeout: TIMEOUT_MS, env };
    return (await promisify(execFile)(program, args, options)).stdout;
  }

  get migrations(): string[] {
    return this.sourcesIn('src/migrations').map((file) => readFileSync(file, 'utf8'));
  }

  private build(): string {
    const { config } = ts.readConfigFile(join(this.folder, 'tsconfig.json'), ts.sys.readFile);
    const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(
      { module: 'esnext', target: 'es2022', useDefineForClassFields: false, ...config.compilerOptions },
      this.folder,
    );
    for (const file of [...this.sourcesIn('src'), ...this.sourcesIn('src/migrations')]) {
      const out = file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(out, ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions }).outputText);
    }
    return '';
  }

  private sourcesIn(folder: string): string[] {
    const path = join(this.folder, folder);
    mkdirSync(path, { recursive: true });
    return readdirSync(path)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(path, name));
  }
}
