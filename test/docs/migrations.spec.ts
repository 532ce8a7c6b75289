import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import ts from 'typescript';
import { DataSource, type MigrationInterface } from 'typeorm';
import { boot } from '../support/boot.js';
import { leaseOnce } from '../support/lease-once.js';
import { databaseFor } from '../support/servers/index.js';
import { PageCode } from './page-code.js';

const TIMEOUT_MS = 30_000;

/** An app with the files of the page, whose commands run as a user types them. */
class App extends PageCode {
  constructor() {
    super('docs/stores/sql.md', 'Migrations');
  }

  /** The data source of the page, for a database. */
  async dataSourceFor(url: string): Promise<DataSource> {
    process.env.DATABASE_URL = url;
    const { options } = await this.run<DataSource>('src/data-source.ts', 'default');
    return new DataSource({ ...options, url } as typeof options);
  }

  async type(command: string, url: string): Promise<void> {
    if (command === 'npm run build') return this.build();
    writeFileSync(join(this.folder, '.env'), `DATABASE_URL=${url}\n`);
    const [program = '', ...args] = command.split(' ');
    // The environment of this process has no DATABASE_URL that would hide the file's.
    const { DATABASE_URL: _, ...env } = process.env;
    await promisify(execFile)(program, args, { cwd: this.folder, timeout: TIMEOUT_MS, env });
  }

  get migrations(): string[] {
    return this.sourcesIn('src/migrations').map((file) => readFileSync(file, 'utf8'));
  }

  private build(): void {
    const { config } = ts.readConfigFile(this.pathOf('tsconfig.json'), ts.sys.readFile);
    const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(
      { module: 'esnext', target: 'es2022', useDefineForClassFields: false, ...config.compilerOptions },
      this.folder,
    );
    for (const file of [...this.sourcesIn('src'), ...this.sourcesIn('src/migrations')]) {
      const out = file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(out, ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions }).outputText);
    }
  }

  private sourcesIn(folder: string): string[] {
    mkdirSync(this.pathOf(folder), { recursive: true });
    const names = readdirSync(this.pathOf(folder)).filter((name) => name.endsWith('.ts'));
    return names.map((name) => this.pathOf(join(folder, name)));
  }
}

const app = new App();
const shopStore = (url: string, createTable = false) =>
  sqlLeaseStore({ url, namespace: 'shop', createTable });

describe('the page on migrations [promise: exact-keys]', () => {
  it('the commands create all tables in an empty database, after which a process can lease', async () => {
    const url = await databaseFor('postgres', 'migrations page');
    // Control: without the tables, no process can.
    await expect(leaseOnce(shopStore(url))).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('relation "snowflake_lease_namespace" does not exist'),
    });
    const [generate, run] = app.page.blocksIn('sh').map(({ text }) => text.trim().split('\n'));
    for (const command of [...generate!, ...run!]) await app.type(command, url);
    expect(app.migrations).toEqual([expect.stringMatching(/CREATE TABLE "orders" \("id" bigint/)]);
    expect(await leaseOnce(shopStore(url))).toBe(0);
  });

  it('a command records the migrations on a database that synchronize has made', async () => {
    const url = await databaseFor('postgres', 'migrations page, made');
    const made = await app.dataSourceFor(url);
    const old = await made.setOptions({ migrations: [], synchronize: true }).initialize();
    await leaseOnce(shopStore(url, true));
    const [, , fake] = app.page.blocksIn('sh');
    await app.type(fake!.text.trim(), url);
    const recorded: unknown[] = await old.query('SELECT name FROM migrations');
    await old.destroy();
    expect(recorded).toHaveLength(2);
  });

  it('the module takes its lease after the migrations that run at boot', async () => {
    const url = await databaseFor('postgres', 'migrations page, at boot');
    const { migrations } = (await app.dataSourceFor(url)).options;
    const [leaseTables] = migrations as never[];
    const database = TypeOrmModule.forRoot({
      type: 'postgres',
      url,
      migrations: [leaseTables!],
      migrationsRun: true,
    });
    const snowflake = SnowflakeModule.forRootAsync({
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => ({ store: sqlLeaseStore({ dataSource, namespace: 'shop' }) }),
    });
    @Module({ imports: [database, snowflake] })
    class AppModule {}
    const booted = await boot(AppModule);
    const ids = booted.get(SnowflakeIdMaker, { strict: false });
    expect(ids.decode(ids.nextId()).workerId).toBe(0);
    await booted.close();
  });

  it.each(app.page.rowsUnder('Add the tables of the library'))(
    'a DataSource for %s can list the migration %s of %s',
    async (_, migration, module) => {
      const [name = '', path = ''] = [migration, module].map((cell) => cell?.replaceAll('`', ''));
      const exported = (await import(path)) as Record<string, new () => MigrationInterface>;
      expect(new exported[name]!()).toMatchObject({ name });
    },
  );
});
