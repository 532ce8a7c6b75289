import type { CatalogSession, DeclaredColumn } from './catalog.js';
import type { SqliteTable } from './sqlite-steps.js';
import { type ColumnName, connectedColumns, type Reference } from './steps.js';

const COLUMNS = `
  SELECT m.name AS "table", p.name, p.type, p.pk
  FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'`;

const REFERENCES = `
  SELECT m.name AS "table", f."from" AS name, f."table" AS "toTable", f."to" AS "toName", f.seq
  FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`;

const DEFINITIONS =
  'SELECT type, tbl_name AS "table", sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid';

type Column = ColumnName & { readonly type: string; readonly pk: number };
type ForeignKey = ColumnName & {
  readonly toTable: string;
  readonly toName: string | null;
  readonly seq: number;
};
type Definition = { readonly type: string; readonly table: string; readonly sql: string };

/** Reads the tables with columns that hold IDs, and all tables that foreign keys connect with them. */
export async function readSqlite(
  session: CatalogSession,
  declared: readonly DeclaredColumn[],
): Promise<SqliteTable[]> {
  const all = await session.query<Column>(COLUMNS);
  const foreignKeys = await session.query<ForeignKey>(REFERENCES);
  const definitions = await session.query<Definition>(DEFINITIONS);
  /** SQLite ignores the case of names. Without a column, a foreign key refers to the primary key. */
  const actual = (table: string, name: string | null, pk = 0): Column[] =>
    all.filter(
      (column) => same(column.table, table) && (name === null ? column.pk === pk : same(column.name, name)),
    );
  const references = foreignKeys.flatMap(({ table, name, toTable, toName, seq }): Reference[] => {
    const [from] = actual(table, name);
    const [to] = actual(toTable, toName, seq + 1);
    return from && to ? [{ from, to }] : [];
  });
  const known = declared.flatMap(({ tableName, name }) => actual(tableName, name));
  const narrow = (connectedColumns(known, references) as Column[]).filter(({ type }) =>
    /^(?!bigint).*int/i.test(type),
  );
  const tables = [...new Set(narrow.map(({ table }) => table))];
  return tables.map((name): SqliteTable => {
    const own = definitions.filter(({ table }) => same(table, name));
    return {
      name,
      definition: own.find(({ type }) => type === 'table')?.sql ?? '',
      columns: all.filter(({ table }) => table === name).map((column) => column.name),
      narrow: narrow
        .filter(({ table }) => table === name)
        .map(({ name: column, type, pk }) => ({ name: column, type, isPrimary: Number(pk) > 0 })),
      attachments: own.filter(({ type }) => type !== 'table').map(({ sql }) => sql.trim()),
    };
  });
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
