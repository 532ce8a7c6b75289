import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { databaseFor } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { PageCode } from './page-code.js';

const WITHIN_MS = 20_000;

const page = new PageCode('docs/stores/sql.md');

let admin: DataSource;

/** Gives the code of the page a database that is empty. */
async function emptyDatabase(name: string): Promise<void> {
  await admin?.destroy();
  process.env.DATABASE_URL = await databaseFor('postgres', name);
  admin = await new DataSource({ type: 'postgres', url: process.env.DATABASE_URL }).initialize();
}

afterAll(async () => {
  await admin?.destroy();
});

/** Gives the code of the page a database with the tables of leases. */
async function databaseWithTables(name: string): Promise<void> {
  await emptyDatabase(name);
  const migrations = [CreateSnowflakeLeaseTables1767225600000];
  const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, migrations });
  await dataSource.initialize();
  await dataSource.runMigrations();
  await dataSource.destroy();
}

async function expectToLease(store: LeaseStore): Promise<void> {
  const ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
  await ids.start();
  try {
    expect(ids.decode(ids.nextId()).workerId).toBe(0);
    // The server may not have noticed yet that a first attempt was given up.
    await waitFor('one connection', WITHIN_MS, async () => {
      const connections = await admin.query(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'snowflake:shop' AND datname = current_database()`,
      );
      return connections.length === 1;
    });
  } finally {
    await ids.stop();
  }
}

describe('the code of the page on SQL databases', () => {
  it('leases over one connection that has its name', async () => {
    await databaseWithTables('sql-page-store');
    // Another process has used the namespace before, so the boot doesn't wait for lost leases.
    await expectToLease(sqlLeaseStore({ url: process.env.DATABASE_URL, namespace: 'shop' }));
    const module = await page.run<Type>('ids.module.ts', 'IdsModule');
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    const ids = app.get(SnowflakeIdMaker);
    expect(ids.decode(ids.nextId()).workerId).toBe(1);
    await app.close();
  });

  it('calls the function that returns the URL before each connection, so that a password can change', async () => {
    await databaseWithTables('sql-page-password');
    const folder = mkdtempSync(join(tmpdir(), 'snowflake-password-'));
    const file = join(folder, 'password');
    const store = sqlLeaseStore({
      url: async () => {
        const url = new URL(process.env.DATABASE_URL ?? '');
        url.password = encodeURIComponent((await readFile(file, 'utf8')).trim());
        return url.href;
      },
      namespace: 'shop',
    });
    try {
      await expect(store.inspect()).rejects.toThrow('ENOENT');
      writeFileSync(file, 'a/b?c\n');
      await expectToLease(store);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a user with the printed rights can lease after the migration', async () => {
    await databaseWithTables('sql-page-migration');

    const [{ current }] = (await admin.query('SELECT current_database() AS current')) as [
      { current: string },
    ];
    // The name is unique, because roles belong to the whole server.
    const role = `u_${current.slice(0, 40)}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const [grant] = page.page.blocksIn('sql');
    expect(grant!.text).toMatch(/ TO snowflake;\n$/);
    await admin.query(grant!.text.replace(/ TO \w+;\n$/, ` TO ${role}`));
    const url = new URL(process.env.DATABASE_URL ?? '');
    Object.assign(url, { username: role, password: 'secret' });
    try {
      await expectToLease(
        sqlLeaseStore({ dataSource: { type: 'postgres', url: url.href }, namespace: 'shop' }),
      );
    } finally {
      await admin.query(`DROP OWNED BY ${role}`);
      await admin.query(`DROP ROLE ${role}`);
    }
  });

  it('a migration creates tables of another name', async () => {
    await emptyDatabase('sql-page-name');
    class CreateShopLeaseTables1767225600001 extends CreateSnowflakeLeaseTables1767225600000 {
      override readonly name = 'CreateShopLeaseTables1767225600001';
      protected override readonly tableName = 'shop_lease';
    }
    const url = process.env.DATABASE_URL;
    const dataSource = await new DataSource({
      type: 'postgres',
      url,
      migrations: [CreateShopLeaseTables1767225600001],
    }).initialize();
    await dataSource.runMigrations();
    await dataSource.destroy();
    await expectToLease(
      sqlLeaseStore({ dataSource: { type: 'postgres', url }, namespace: 'shop', tableName: 'shop_lease' }),
    );
  });

  it('rejects a server without TLS with the options that ask for TLS', async () => {
    const store = sqlLeaseStore({
      url: process.env.DATABASE_URL,
      driverOptions: { ssl: { ca: 'the certificate of a CA' } },
      namespace: 'shop',
    });
    await store.open?.({ callTimeoutMs: WITHIN_MS });
    await expect(store.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED' });
    await store.close();
  });

  it('the specs have run every file of the page', () => {
    // The migrations spec runs those.
    expect(page.notRun().filter((file) => !file.startsWith('src/'))).toEqual([]);
  });
});
