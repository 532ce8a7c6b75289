import type { CatalogSession, DeclaredColumn } from './catalog.js';
import { type MysqlColumn, type MysqlForeignKey, type MysqlSchema, quoted } from './mysql-steps.js';
import { type ColumnName, connectedColumns, keyOf, tablesOf } from './steps.js';

/** The longest name of a table. */
const MAX_NAME_LENGTH = 64;
const COUNTER_SUFFIX = '_counted';

type Row = Readonly<Record<string, string | null>>;

const idOf = ({ db, tab, name }: Row): string => [db, tab, name].join('\n');

/** Reads the columns that hold IDs, and all columns that foreign keys connect with them. */
export async function readMysql(
  session: CatalogSession,
  declared: readonly DeclaredColumn[],
): Promise<MysqlSchema> {
  // The mode of the session, which only this command uses, decides how SHOW CREATE TABLE quotes names.
  await session.query("SET SESSION sql_mode = ''");
  const [server] = await session.query<{ version: string; current: string }>(
    'SELECT VERSION() AS version, DATABASE() AS current',
  );
  const reader = new Reader(session, String(server?.current));
  const foreignKeys = await reader.foreignKeys();
  const references = foreignKeys.flatMap(({ table, columns, parent, parentColumns }) =>
    columns.map((name, at) => ({
      from: { table, name },
      to: { table: parent, name: parentColumns[at] ?? '' },
    })),
  );
  const columns = connectedColumns(await reader.actual(declared), references);
  return {
    isMariaDb: /mariadb/i.test(String(server?.version)),
    columns: await reader.definitions(columns),
    foreignKeys,
  };
}

class Reader {
  constructor(
    private readonly session: CatalogSession,
    private readonly database: string,
  ) {}

  /** Joins in memory, because joins in information_schema are slow. */
  async foreignKeys(): Promise<MysqlForeignKey[]> {
    const keyColumns = await this.rows(
      'SELECT CONSTRAINT_NAME AS name, TABLE_SCHEMA AS db, TABLE_NAME AS tab, COLUMN_NAME AS col, ' +
        'REFERENCED_TABLE_SCHEMA AS parentDb, REFERENCED_TABLE_NAME AS parentTab, REFERENCED_COLUMN_NAME AS parentCol ' +
        'FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_NAME IS NOT NULL ' +
        'ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION',
    );
    const rules = await this.rows(
      'SELECT CONSTRAINT_NAME AS name, CONSTRAINT_SCHEMA AS db, TABLE_NAME AS tab, ' +
        'DELETE_RULE AS onDelete, UPDATE_RULE AS onUpdate FROM information_schema.REFERENTIAL_CONSTRAINTS',
    );
    return rules.flatMap((rule) => {
      const pairs = keyColumns.filter((keyColumn) => idOf(keyColumn) === idOf(rule));
      const [first] = pairs;
      if (first === undefined) return [];
      return {
        name: String(rule.name),
        table: this.tableName(first.db, first.tab),
        columns: pairs.map(({ col }) => String(col)),
        parent: this.tableName(first.parentDb, first.parentTab),
        parentColumns: pairs.map(({ parentCol }) => String(parentCol)),
        onDelete: String(rule.onDelete),
        onUpdate: String(rule.onUpdate),
      };
    });
  }

  /** Returns the declared columns that exist, with their actual names: a server can ignore the case of tables. */
  async actual(declared: readonly DeclaredColumn[]): Promise<(ColumnName & { isKey: boolean })[]> {
    const found: (ColumnName & { isKey: boolean })[] = [];
    for (const { database = this.database, tableName, name, isKey } of declared) {
      const [row] = await this.rows(
        'SELECT TABLE_SCHEMA AS db, TABLE_NAME AS tab, COLUMN_NAME AS col FROM information_schema.COLUMNS ' +
          'WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_NAME = ?',
        [database, tableName, name],
      );
      if (row) found.push({ table: this.tableName(row.db, row.tab), name: String(row.col), isKey });
    }
    return found;
  }

  async definitions(columns: readonly (ColumnName & { isKey?: boolean })[]): Promise<MysqlColumn[]> {
    const definitions = new Map<string, string>();
    for (const table of tablesOf(columns)) {
      const [row] = await this.rows(`SHOW CREATE TABLE ${table}`);
      for (const [, name = '', definition = ''] of String(row?.['Create Table']).matchAll(COLUMN_LINE)) {
        definitions.set(keyOf({ table, name: name.replaceAll('``', '`') }), definition);
      }
    }
    const triggers = await this.rows(
      'SELECT TRIGGER_SCHEMA AS db, TRIGGER_NAME AS name FROM information_schema.TRIGGERS',
    );
    const existing = new Set(triggers.map(({ db, name }) => this.tableName(db, name)));
    return columns.map((column): MysqlColumn => {
      const counter = counterOf(column.table);
      return {
        ...column,
        definition: definitions.get(keyOf(column)) ?? '',
        isKey: column.isKey === true,
        counter,
        hasCounter: existing.has(counter),
      };
    });
  }

  private tableName(database: string | null = null, table: string | null = null): string {
    const name = quoted(String(table));
    return database === this.database ? name : `${quoted(String(database))}.${name}`;
  }

  private rows(sql: string, parameters?: readonly unknown[]): Promise<readonly Row[]> {
    return this.session.query<Row>(sql, parameters);
  }
}

const COLUMN_LINE = /^ {2}`((?:[^`]|``)+)` (.*?),?$/gm;

/** The counter lies in the database of its table. */
function counterOf(table: string): string {
  return table.replace(/`((?:[^`]|``)+)`$/, (_, name: string) => {
    const whole = name.replaceAll('``', '`');
    return quoted(whole.slice(0, MAX_NAME_LENGTH - COUNTER_SUFFIX.length) + COUNTER_SUFFIX);
  });
}
