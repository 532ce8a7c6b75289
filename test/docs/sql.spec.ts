import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/typeorm';
import { DataSource } from 'typeorm';
import { boot } from '../support/boot.js';
import { leaseOnce } from '../support/lease-once.js';
import { databaseFor } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { PageCode } from './page-code.js';

const WITHIN_MS = 20_000;

const page = new PageCode('docs/stores/sql.md');
const url = await databaseFor('postgres', 'sql-page');
let admin: DataSource;

/** The database has the tables of leases. Another process has used the namespace, so the boot doesn't wait for lost leases. */
beforeAll(async () => {
  const migrations = [CreateSnowflakeLeaseTables1767225600000];
  admin = await new DataSource({ type: 'postgres', url, migrations }).initialize();
  await admin.runMigrations();
  await leaseOnce(sqlLeaseStore({ url, namespace: 'shop' }));
});
afterAll(() => admin?.destroy());

describe('the code of the page on SQL databases', () => {
  it('leases over one connection that has its name', async () => {
    process.env.DATABASE_URL = url;
    const app = await boot(await page.run<Type>('ids.module.ts', 'IdsModule'));
    const ids = app.get(SnowflakeIdMaker);
    expect(ids.decode(ids.nextId()).workerId).toBe(1);
    // The server may still show the connection of the process before.
    await waitFor('one connection', WITHIN_MS, async () => {
      const connections = await admin.query(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'snowflake:shop' AND datname = current_database()`,
      );
      return connections.length === 1;
    });
    await app.close();
  });

  it('lets a user with the printed rights lease', async () => {
    // The name is unique, because roles belong to the whole server.
    const role = `u_${new URL(url).pathname.slice(1, 40)}`;
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const [grant] = page.page.blocksIn('sql');
    expect(grant!.text).toMatch(/ TO snowflake;\n$/);
    await admin.query(grant!.text.replace(/ TO \w+;\n$/, ` TO ${role}`));
    const ofRole = Object.assign(new URL(url), { username: role, password: 'secret' }).href;
    try {
      const store = sqlLeaseStore({ url: ofRole, namespace: 'shop' });
      await expect(leaseOnce(store)).resolves.toEqual(expect.any(Number));
    } finally {
      await admin.query(`DROP OWNED BY ${role}`);
      await admin.query(`DROP ROLE ${role}`);
    }
  });

  it('runs in full here and in the spec of migrations', () => {
    expect(page.notRun().filter((file) => !file.startsWith('src/'))).toEqual([]);
  });
});
