import libsql from 'libsql';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import type { SetUp } from './set-ups.js';

const LOCK_WITHIN_MS = 20_000;

/** Makes the database of a backend refuse each new row of `table` whose `column` has this value. */
export async function refuseRows(
  { env }: SetUp,
  table: string,
  column: string,
  value: string | number,
): Promise<void> {
  const literal = typeof value === 'number' ? value : `'${value}'`;
  const { DATABASE_URL: url, SQLITE_PATH: path } = env;
  if (url === undefined) {
    // The backend may be renewing its lease in this file.
    const database = new libsql(path ?? '', { timeout: LOCK_WITHIN_MS });
    database.exec(
      `CREATE TRIGGER refused_${table} BEFORE INSERT ON ${table} WHEN NEW."${column}" = ${literal}
       BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    );
    database.close();
  } else if (url.startsWith('postgres')) {
    const database = new Client({ connectionString: url });
    await database.connect();
    await database.query(`ALTER TABLE ${table} ADD CHECK ("${column}" <> ${literal})`);
    await database.end();
  } else {
    const database = await createConnection(url);
    await database.query(`ALTER TABLE ${table} ADD CHECK (\`${column}\` <> ${literal})`);
    await database.end();
  }
}
