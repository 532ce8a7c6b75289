import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import ts from 'typescript';
import { DataSource, type MigrationInterface } from 'typeorm';
import { databaseFor } from '../support/servers/index.js';
import { MarkdownPage, ROOT } from './markdown.js';
import { PageCode } from './page-code.js';
import { supportFolderOf } from './pages.js';

const PATH = 'docs/guides/migrations.md';
const page = MarkdownPage.read(PATH);
const TIMEOUT_MS = 30_000;

/** An app with the files of the page, whose commands run as a user types them. */
class App {
  readonly folder = mkdtempSync(join(tmpdir(), 'snowflake-migrations-'));

  constructor(databaseUrl: string) {
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'dir');
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(this.folder, '.env'), `DATABASE_URL=${databaseUrl}\n`);
    mkdirSync(join(this.folder, 'src/migrations'), { recursive: true });
    cpSync(supportFolderOf(PATH), this.folder, { recursive: true });
    for (const { text } of page.blocksIn('ts')) {
      writeFileSync(join(this.folder, /^\/\/ (\S+)/.exec(text)![1]!), text);
    }
  }

  async run(command: string): Promise<string> {
    if (command === 'npm run build') return this.build();
    const [program = '', ...args] = command.split(' ');
    // The environment of this process has no DATABASE_URL that would hide the file's.
    const { DATABASE_URL: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(program, args, {
      cwd: this.folder,
      timeout: TIMEOUT_MS,
      env,
    });
    return stdout;
  }

  get migrations(): string[] {
    return readdirSync(join(this.folder, 'src/migrations')).map((file) =>
      readFileSync(join(this.folder, 'src/migrations', file), 'utf8'),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private build(): string {
    for (const folder of ['src', 'src/migrations']) {
      for (const file of readdirSync(join(this.folder, folder)).filter((name) => name.endsWith('.ts'))) {
        const out = join(this.folder, folder.replace('src', 'dist'));
        if (!existsSync(out)) mkdirSync(out, { recursive: true });
        const source = readFileSync(join(this.folder, folder, file), 'utf8');
        const { outputText } = ts.transpileModule(source, {
          compilerOptions: {
            module: ts.ModuleKind.ESNext,
            target: ts.ScriptTarget.ES2022,
            experimentalDecorators: true,
            emitDecoratorMetadata: true,
            useDefineForClassFields: false,
          },
        });
        writeFileSync(join(out, `${basename(file, '.ts')}.js`), outputText);
      }
    }
    return '';
  }
}

let url: string;
let app: App;

beforeAll(async () => {
  url = await databaseFor('postgres', 'migrations page');
  app = new App(url);
});
afterAll(() => app?.remove());

const leaseOnce = async (): Promise<number> => {
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
};

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
    writeFileSync(join(app.folder, '.env'), `DATABASE_URL=${made}\n`);
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
      const IdsModule = await code.run<Type>('src/ids.module.ts', 'IdsModule');
      const booted = await NestFactory.createApplicationContext(
        { module: IdsModule, imports: [database] },
        { logger: false, abortOnError: false },
      );
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
