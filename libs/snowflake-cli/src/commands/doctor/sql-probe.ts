import type { DatabaseOptions } from 'nestjs-snowflake/sql';
import { systemClock } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { LEASE_TABLES, type LeaseTableName } from 'nestjs-snowflake/internal/stores/sql/lease-tables';
import type { LossySetting } from 'nestjs-snowflake/internal/kit/sql/dialects/dialect';
import { requireSharedDatabase } from 'nestjs-snowflake/internal/kit/sql/dialects/dialects';
import { lossySettingsOf } from 'nestjs-snowflake/internal/kit/sql/history/lossy-settings';
import { askHistory } from 'nestjs-snowflake/internal/kit/sql/history/server-history';
import { SqlSession } from 'nestjs-snowflake/internal/kit/sql/session';
import type { SqlPlace } from 'nestjs-snowflake/internal/kit/sql/tables/tables';
import {
  NO_LOST_WRITES,
  placeOf,
  requireLastingTables,
  requireLockableTables,
} from 'nestjs-snowflake/internal/kit/sql/tables/tables-on-server';

/** A right on a table, and a statement that needs it and changes nothing. */
export interface NeededRight {
  readonly right: string;
  readonly table: string;
  readonly statement: string;
}

/** A connection of the doctor to a database, made as a store makes its own. Every call has a bound. */
export class SqlProbe {
  readonly #place: SqlPlace<LeaseTableName>;
  readonly #session: SqlSession;

  /** @throws InvalidOptionError if the database can't hold leases */
  constructor(
    options: DatabaseOptions,
    tableName: string | undefined,
    private readonly timeoutMs: number,
  ) {
    requireSharedDatabase(options, LEASE_TABLES.use);
    this.#place = LEASE_TABLES.in(options, tableName);
    const { dialect } = this.#place;
    const connectionName = 'nestjs-snowflake doctor';
    this.#session = new SqlSession({ dialect, options, connectionName, callTimeoutMs: timeoutMs });
  }

  connect(): Promise<void> {
    return this.bounded(this.#session.connect());
  }

  /** Fails if a table is missing. */
  async requireTables(): Promise<void> {
    for (const statement of this.#place.tables.probe) await this.bounded(this.#session.query(statement));
  }

  /**
   * @throws StoreRejectedError if a table has an engine that locks no rows, is temporary, or, against the assertion of the
   * operator, is emptied by a crash
   */
  async requireSoundTables(description: string, assumeNoLostWrites: boolean): Promise<void> {
    const lasting = assumeNoLostWrites ? NO_LOST_WRITES : undefined;
    await this.bounded(requireLockableTables(this.#place, this.#session, description));
    await this.bounded(requireLastingTables(this.#place, this.#session, description, lasting));
  }

  /** Returns where the tables are, e.g. `schema "public"`. */
  place(): Promise<string | undefined> {
    return this.bounded(placeOf(this.#place, this.#session));
  }

  /** Returns the other schemas of a PostgreSQL that have tables of this name with this namespace. */
  async schemasBeside(namespace: string): Promise<readonly string[]> {
    const own = this.#place.tables.history;
    if (!own || this.#place.dialect.place?.word !== 'schema') return [];
    const { query } = this.#session;
    const others = await this.bounded(
      query(
        'SELECT nspname, quote_ident(nspname) AS quoted FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace' +
          ` WHERE relname = ? AND relkind IN ('r', 'p') AND nspname <> ${this.#place.dialect.place.expression(own)}` +
          " AND has_schema_privilege(pg_namespace.oid, 'USAGE') AND has_table_privilege(pg_class.oid, 'SELECT')" +
          ' ORDER BY nspname LIMIT 100',
        [own.name],
      ),
    );
    const schemas: string[] = [];
    for (const { nspname, quoted } of others) {
      const table = `${String(quoted)}.${this.#place.dialect.quote(own.name)}`;
      const rows = await this.bounded(query(`SELECT 1 FROM ${table} WHERE namespace = ?`, [namespace]));
      if (rows.length > 0) schemas.push(String(nspname));
    }
    return schemas;
  }

  /** Returns the settings with which a crash of the server can undo commits. */
  lossySettings(): Promise<readonly LossySetting[]> {
    return this.bounded(lossySettingsOf(this.#place.dialect, this.#session));
  }

  /** Returns the history ID of the server. @throws NoHistory */
  async historyId(): Promise<string | undefined> {
    const table = this.#place.tables.history;
    if (!table) return undefined;
    const { query } = this.#session;
    const history = await this.bounded(this.#place.dialect.findHistory(query, table));
    const found = await this.bounded(askHistory({ query }, { dialect: this.#place.dialect, history }));
    return found?.identity;
  }

  /** Returns the rights of a lease, each with a statement that touches no row. */
  neededRights(): readonly NeededRight[] {
    const { leases, namespaces } = this.#place.tables.quoted;
    const row = 'namespace, worker_id, reserved_until_ms, fencing_token, version';
    const noRow = 'WHERE 1 = 0';
    return [
      {
        right: 'SELECT',
        table: namespaces,
        statement: `SELECT namespace, version_sum FROM ${namespaces} ${noRow}`,
      },
      { right: 'SELECT', table: leases, statement: `SELECT ${row} FROM ${leases} ${noRow}` },
      {
        right: 'INSERT',
        table: namespaces,
        statement: `INSERT INTO ${namespaces} (namespace) SELECT '' FROM ${namespaces} ${noRow}`,
      },
      {
        right: 'INSERT',
        table: leases,
        statement: `INSERT INTO ${leases} (${row}) SELECT '', 0, 0, '', 0 FROM ${leases} ${noRow}`,
      },
      {
        right: 'UPDATE',
        table: namespaces,
        statement: `UPDATE ${namespaces} SET layout = layout ${noRow}`,
      },
      {
        right: 'UPDATE',
        table: leases,
        statement: `UPDATE ${leases} SET fencing_token = fencing_token ${noRow}`,
      },
    ];
  }

  /** Executes a statement in a transaction as a lease does, and rolls it back. */
  async tryOut(statement: string): Promise<void> {
    this.#session.begin();
    try {
      await this.bounded(this.#session.query(statement));
    } finally {
      await this.bounded(this.#session.query('ROLLBACK'));
    }
  }

  close(): void {
    this.#session.abandon();
  }

  private bounded<Reply>(call: Promise<Reply>): Promise<Reply> {
    const { timeoutMs } = this;
    return settledWithin(systemClock, timeoutMs, call, () => new Error(`no answer within ${timeoutMs} ms`));
  }
}
