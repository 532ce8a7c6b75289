import type { DataSource } from 'typeorm';
import { SqlLeaseStore } from '../../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import type { ServerState } from '../../../../libs/snowflake/src/stores/protocol/lease-registry.js';
import type { TestDatabase } from './databases.js';
import { withDialect } from './stores.js';

const NAMESPACE = 'virtual';

/** Column of each field of the header. */
const COLUMNS: Readonly<Record<string, string>> = {
  layout: 'layout',
  historyId: 'history_id',
  grantsAfter: 'grants_after_ms',
  grantsAfterReason: 'grants_after_reason',
  window: 'longest_window_ms',
  maxSkew: 'longest_max_skew_ms',
  fresh: 'fresh_worker_id',
};

/** A real database whose clock the test decides, and whose rows it can write. */
export class VirtualDatabase {
  readonly store: SqlLeaseStore;
  private readonly admin: DataSource;

  constructor({ options, admin }: TestDatabase) {
    this.admin = admin;
    this.store = new SqlLeaseStore(
      { dataSource: options, namespace: NAMESPACE, createTable: true },
      withDialect((dialect) => ({
        ...dialect,
        nowMs: '(SELECT now_ms FROM test_clock)',
        findHistory: async () => ({
          identity: '(SELECT history FROM test_clock)',
          lasting: '(SELECT history FROM test_clock)',
          needsDurableSettings: false,
          isOriginal: '1 = 1',
        }),
        toHistory: (value) => value,
        // The test itself writes rows.
        writer: undefined,
      })),
    );
    this.store.open({ callTimeoutMs: 30_000 });
  }

  async prepare(): Promise<void> {
    await this.admin.query('CREATE TABLE test_clock (now_ms bigint, history varchar(32))');
    await this.admin.query("INSERT INTO test_clock VALUES (0, 'history 1')");
    await this.store.inspect();
  }

  async setClock(nowMs: number): Promise<void> {
    await this.admin.query(`UPDATE test_clock SET now_ms = ${nowMs}`);
  }

  /** Decides the clock and the history of all calls to come. */
  async become({ nowMs, historyId }: ServerState): Promise<void> {
    await this.admin.query(`UPDATE test_clock SET now_ms = ${nowMs}, history = '${historyId}'`);
  }

  /** Everything that is stored, in the form of the in-memory registry. */
  async fields(): Promise<Record<string, string>> {
    const [[header = {}], rows] = await Promise.all([
      this.rowsOf('snowflake_lease_namespace'),
      this.rowsOf('snowflake_lease'),
    ]);
    return {
      ...Object.fromEntries(
        Object.entries(COLUMNS)
          .filter(([, column]) => (header[column] ?? null) !== null)
          .map(([field, column]) => [field, String(header[column])]),
      ),
      ...Object.fromEntries(
        rows.map((row) => [
          String(row['worker_id']),
          `${String(row['reserved_until_ms'])} ${String(row['fencing_token'])}`,
        ]),
      ),
    };
  }

  async replaceFields(fields: Readonly<Record<string, string>>): Promise<void> {
    await this.admin.query('DELETE FROM snowflake_lease');
    await this.admin.query(`DELETE FROM snowflake_lease_namespace WHERE namespace = '${NAMESPACE}'`);
    if (Object.keys(fields).length === 0) return;
    await this.admin.query(`INSERT INTO snowflake_lease_namespace (namespace) VALUES ('${NAMESPACE}')`);
    for (const [field, value] of Object.entries(fields)) await this.write(field, value);
  }

  /** Writes one field: of the header, or the row of a worker ID as `<reserved until> <fencing token>`. */
  async write(field: string, value: string): Promise<void> {
    const column = COLUMNS[field];
    if (column !== undefined) {
      await this.admin.query(
        `UPDATE snowflake_lease_namespace SET ${column} = '${value}' WHERE namespace = '${NAMESPACE}'`,
      );
      return;
    }
    const [reserved = '', fencingToken = ''] = value.split(' ');
    await this.admin.query(`DELETE FROM snowflake_lease WHERE worker_id = ${field}`);
    await this.admin.query(
      `INSERT INTO snowflake_lease (namespace, worker_id, reserved_until_ms, fencing_token, version)` +
        ` VALUES ('${NAMESPACE}', ${field}, '${reserved}', '${fencingToken}', 1)`,
    );
    // What the test writes takes the place of what the library would have written.
    await this.admin.query(
      'UPDATE snowflake_lease_namespace SET version_sum =' +
        ` (SELECT SUM(version) FROM snowflake_lease WHERE namespace = '${NAMESPACE}') WHERE namespace = '${NAMESPACE}'`,
    );
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  private rowsOf(table: string): Promise<Record<string, unknown>[]> {
    return this.admin.query(`SELECT * FROM ${table} WHERE namespace = '${NAMESPACE}'`);
  }
}
