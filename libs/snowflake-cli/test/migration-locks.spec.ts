import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../../test/support/servers/index.js';
import { waitFor } from '../../../test/support/wait.js';
import { mysqlMigration } from '../src/commands/sql/mysql-steps.js';
import { postgresMigration } from '../src/commands/sql/postgres-steps.js';
import type { Migration } from '../src/commands/sql/steps.js';

const WAITING = {
  postgres: "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  mariadb:
    "SELECT 1 FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE LIKE 'Waiting for table%'",
};

/** Waits until a session of the database waits for a lock. */
function untilWaiting(dataSource: DataSource, kind: 'postgres' | 'mariadb'): Promise<boolean> {
  return waitFor('a session that waits for a lock', 30_000, async () => {
    const sessions: unknown[] = await dataSource.query(WAITING[kind]);
    return sessions.length > 0;
  });
}

/**
 * A transaction of the app that uses `orders` before `customers`, against a migration that locks them the other way round.
 * @param ofBoth a setting of both sessions
 */
async function lockAgainstApp(
  kind: 'postgres' | 'mariadb',
  setting: string,
  lock: string,
  ofBoth = 'SELECT 1',
): Promise<{ app: string; migration: string }> {
  const url = await databaseFor(kind, 'migration locks');
  const dataSource = await new DataSource({ type: kind, url } as DataSourceOptions).initialize();
  for (const table of ['customers', 'orders']) {
    await dataSource.query(`CREATE TABLE ${table} (id int PRIMARY KEY, n int)`);
    await dataSource.query(`INSERT INTO ${table} VALUES (1, 0)`);
  }
  const [app, migration] = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
  const outcomeOf = (query: Promise<unknown>): Promise<string> =>
    query.then(
      () => 'done',
      ({ code }: { code: string }) => code,
    );
  for (const session of [app, migration]) await session.query(ofBoth);
  await app.query('BEGIN');
  await app.query('UPDATE orders SET n = 1');
  await migration.query(setting);
  if (kind === 'postgres') await migration.query('BEGIN');
  const locked = outcomeOf(migration.query(lock)).finally(
    () => kind === 'postgres' && migration.query('ROLLBACK'),
  );
  await Promise.race([locked, untilWaiting(dataSource, kind)]);
  const updated = await outcomeOf(app.query('UPDATE customers SET n = 1'));
  await app.query('COMMIT');
  const outcomes = { app: updated, migration: await locked };
  await Promise.all([app.release(), migration.release()]);
  await dataSource.destroy();
  return outcomes;
}

describe('a migration that locks the tables', () => {
  const columns = ['customers', 'orders'].map((table) => ({ table, name: 'id', isKey: true }));
  const lockOf = ({ widen }: Migration): string => widen.forward.find((one) => one.startsWith('LOCK'))!;
  const POSTGRES_LOCK = lockOf(
    postgresMigration(
      columns.map((column) => ({
        ...column,
        type: 'integer',
        identity: 'd',
        defaultValue: null,
        sequence: null,
        spareSequence: null,
      })),
    ),
  );
  const MARIADB_LOCK = lockOf(
    mysqlMigration({
      isMariaDb: true,
      columns: columns.map((column) => ({ ...column, definition: 'int', counter: '', hasCounter: true })),
      foreignKeys: [],
    }),
  );

  it('the migration gives way to the app on PostgreSQL', async () => {
    // A machine that pauses for half a second would let both timeouts come at once.
    const later = "SET deadlock_timeout = '1min'";
    const outcomes = await lockAgainstApp('postgres', "SET lock_timeout = '500ms'", POSTGRES_LOCK, later);
    expect(outcomes).toEqual({ app: 'done', migration: '55P03' });
  });

  it('the migration deadlocks with the app on PostgreSQL without the lock timeout (control)', async () => {
    const outcomes = await lockAgainstApp('postgres', 'SET lock_timeout = 0', POSTGRES_LOCK);
    expect(Object.values(outcomes)).toContain('40P01');
  });

  it('the migration gives way to the app on MariaDB', async () => {
    await expect(lockAgainstApp('mariadb', 'SET @x = 1', MARIADB_LOCK)).resolves.toEqual({
      app: 'done',
      migration: 'ER_LOCK_WAIT_TIMEOUT',
    });
  });

  it('the migration cancels a statement of the app on MariaDB without NOWAIT (control)', async () => {
    await expect(
      lockAgainstApp('mariadb', 'SET @x = 1', MARIADB_LOCK.replace(' NOWAIT', '')),
    ).resolves.toMatchObject({ app: 'ER_LOCK_DEADLOCK' });
  });
});
