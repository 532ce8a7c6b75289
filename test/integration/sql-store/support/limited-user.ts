import type { DataSourceOptions } from 'typeorm';
import type { Kind, TestDatabase } from './databases.js';

/** The database, as a new user who has these rights on these tables. */
export async function asUserWith(
  kind: Exclude<Kind, 'SQLite'>,
  { admin, options }: TestDatabase,
  rights: string,
  tables: readonly string[],
): Promise<DataSourceOptions> {
  const [{ name }] = await admin.query(
    `SELECT ${kind === 'PostgreSQL' ? 'current_database()' : 'database()'} AS name`,
  );
  const user = `u_${String(name).slice(0, 20)}`;
  const account = kind === 'PostgreSQL' ? user : `'${user}'@'127.0.0.1'`;
  await admin.query(
    kind === 'PostgreSQL' ? `CREATE ROLE ${user} LOGIN` : `CREATE USER ${account} IDENTIFIED BY 'secret'`,
  );
  for (const table of tables) await admin.query(`GRANT ${rights} ON ${table} TO ${account}`);
  const url = new URL((options as { url: string }).url);
  url.username = user;
  url.password = 'secret';
  return { ...options, url: url.href } as DataSourceOptions;
}
