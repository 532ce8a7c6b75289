import type { CatalogSession, DeclaredColumn } from './catalog.js';
import type { PostgresColumn } from './postgres-steps.js';
import { type ColumnName, connectedColumns, type Reference } from './steps.js';

/** Leaves out the foreign keys of single partitions, which follow the foreign key of the whole table. */
const REFERENCES = `
  SELECT c.conrelid::regclass::text AS "table", a.attname AS name,
    c.confrelid::regclass::text AS "toTable", f.attname AS "toName"
  FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k(child, parent)
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.child
  JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.parent
  WHERE c.contype = 'f' AND c.conparentid = 0 ORDER BY c.conname`;

const COLUMNS = `
  SELECT n.place, a.attrelid::regclass::text AS "table", a.attname AS name,
    format_type(a.atttypid, a.atttypmod) AS type, a.attidentity AS identity,
    pg_get_expr(d.adbin, d.adrelid) AS "defaultValue", s.oid::regclass::text AS sequence,
    s.relnamespace::regnamespace::text || '.' || quote_ident(left(s.relname, 55) || '_counted') AS "spareSequence"
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n("table", name, place)
  JOIN pg_attribute a ON a.attrelid = n."table"::regclass AND a.attname = n.name AND a.attnum > 0
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN pg_class s ON s.oid = pg_get_serial_sequence(n."table", n.name)::regclass
  ORDER BY n.place`;

/** Reads the columns that hold IDs, and all columns that foreign keys connect with them. */
export async function readPostgres(
  session: CatalogSession,
  declared: readonly DeclaredColumn[],
): Promise<PostgresColumn[]> {
  const ids = await idsOf(session, declared);
  // From here on PostgreSQL prints every name with its schema.
  await session.query("SET search_path = ''");
  const known = await namesOf(session, declared, ids);
  const rows = await session.query<ColumnName & { toTable: string; toName: string }>(REFERENCES);
  const references = rows.map(({ table, name, toTable, toName }): Reference => ({
    from: { table, name },
    to: { table: toTable, name: toName },
  }));
  const columns = connectedColumns(known, references);
  const found = await session.query<PostgresColumn & { place: string }>(COLUMNS, [
    columns.map(({ table }) => table),
    columns.map(({ name }) => name),
  ]);
  return found.map(({ place, ...facts }) => {
    const column = columns[Number(place) - 1];
    return { ...facts, isKey: column !== undefined && 'isKey' in column && column.isKey };
  });
}

/** Resolves the tables with the search path of the app, as its queries do. */
async function idsOf(
  session: CatalogSession,
  declared: readonly DeclaredColumn[],
): Promise<(string | null)[]> {
  const names = declared.map(({ schema, tableName }) =>
    [schema, tableName].flatMap((part) => (part ? [`"${part.replaceAll('"', '""')}"`] : [])).join('.'),
  );
  const rows = await session.query<{ id: string | null }>(
    'SELECT to_regclass(n.name)::oid::text AS id FROM unnest($1::text[]) WITH ORDINALITY AS n(name, place) ORDER BY place',
    [names],
  );
  return rows.map(({ id }) => id);
}

async function namesOf(
  session: CatalogSession,
  declared: readonly DeclaredColumn[],
  ids: readonly (string | null)[],
): Promise<(ColumnName & { isKey: boolean })[]> {
  const rows = await session.query<{ id: string; table: string }>(
    'SELECT oid::text AS id, oid::regclass::text AS "table" FROM pg_class WHERE oid = ANY ($1::oid[])',
    [ids.filter((id) => id !== null)],
  );
  const tables = new Map(rows.map(({ id, table }) => [id, table]));
  return declared.flatMap(({ name, isKey }, at) => {
    const table = tables.get(ids[at] ?? '');
    return table === undefined ? [] : [{ table, name, isKey }];
  });
}
