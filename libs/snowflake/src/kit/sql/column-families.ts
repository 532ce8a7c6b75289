/** 2^53 + 1: the smallest integer that a JavaScript number can't hold. */
export const PROBE = '9007199254740993';

/** A table, as an ORM names it. */
export interface NamedTable {
  /** The name by which the rows of {@link DatabaseFamily.columnsOf} name it. */
  readonly tablePath: string;
  readonly tableName: string;
  readonly schema?: string;
  readonly database?: string;
}

/** The data that the start-up checks need about a family of databases. */
export interface DatabaseFamily {
  /** Matches the `type` of the DataSource options of TypeORM, and the provider of a Prisma schema. */
  readonly includes: RegExp;
  /** SQL for {@link PROBE} as a value of the type of `bigint` columns. */
  readonly probe: string;
  /** The remedy if the driver rounds. */
  readonly remedy: string;
  /** Returns SELECTs of table path, column name, column type, its default as SQL ('' without one) and 0. Absent if the catalog is unknown. */
  readonly columnsOf?: (tables: readonly NamedTable[]) => string[];
  /** Whether the driver reads a decimal without a fraction as a string of its digits. */
  readonly hasExactDecimals?: boolean;
}

const POSTGRES = {
  probe: `CAST(${PROBE} AS BIGINT)`,
  remedy:
    'Remove parseInt8: true from the options of every DataSource of the process (pg keeps it globally), and any type ' +
    'parser for int8 that returns a number.',
};

const SQLITE = {
  probe: PROBE,
  /** SQLite ignores the case of names. Tables of attached databases are not looked up. */
  columnsOf: (tables: readonly NamedTable[]): string[] => [
    "SELECT m.name, p.name, p.type, COALESCE(p.dflt_value, ''), 0 FROM sqlite_master m JOIN pragma_table_info(m.name) p " +
      `WHERE m.name COLLATE NOCASE IN (${tables.map(({ tableName }) => quoted(tableName)).join(', ')})`,
  ],
};

/** The databases whose columns are checked before an app writes to them. */
export const FAMILIES: readonly DatabaseFamily[] = [
  {
    ...POSTGRES,
    includes: /^(aurora-)?postgres(ql)?$/,
    hasExactDecimals: true,
    columnsOf: (tables) => [
      'SELECT t.path, CAST(a.attname AS text), format_type(COALESCE(NULLIF(p.typbasetype, 0), a.atttypid), ' +
        'CASE WHEN p.typbasetype = 0 THEN a.atttypmod ELSE p.typtypmod END), ' +
        "COALESCE(pg_get_expr(d.adbin, d.adrelid), CASE a.attidentity WHEN '' THEN '' ELSE 'GENERATED AS IDENTITY' END), 0 " +
        `FROM (VALUES ${tables.map((table) => `(${quoted(table.tablePath)}, ${quoted(postgresName(table))})`).join(', ')}) ` +
        'AS t(path, name) JOIN pg_attribute a ON a.attrelid = to_regclass(t.name) AND a.attnum > 0 ' +
        'JOIN pg_type p ON p.oid = a.atttypid ' +
        'LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum',
    ],
  },
  { ...POSTGRES, includes: /^cockroachdb$/ },
  {
    includes: /mysql|mariadb/,
    probe: `CAST(${PROBE} AS SIGNED)`,
    remedy: 'Leave supportBigNumbers and bigNumberStrings of the DataSource options at their default, true.',
    hasExactDecimals: true,
    columnsOf: mysqlColumns,
  },
  {
    ...SQLITE,
    includes: /^better-sqlite3$/,
    remedy:
      "Add prepareDatabase of 'nestjs-snowflake/typeorm' to the DataSource options, or declare the columns with " +
      "{ type: 'varchar' }.",
  },
  {
    ...SQLITE,
    includes: /sqlite|sqljs|expo|capacitor|cordova|nativescript|react-native/,
    remedy:
      "Declare the columns with { type: 'varchar' }, or use the driver better-sqlite3 with prepareDatabase of " +
      "'nestjs-snowflake/typeorm'.",
  },
];

/** MariaDB has the text NULL for a column that can be null, and no default. */
const MYSQL_DEFAULT = "TRIM(CONCAT(COALESCE(NULLIF(COLUMN_DEFAULT, 'NULL'), ''), ' ', EXTRA))";

/** Uses one SELECT per database: with a constant TABLE_SCHEMA, information_schema opens only these tables. */
function mysqlColumns(tables: readonly NamedTable[]): string[] {
  const databases = new Set(tables.map(({ database }) => database));
  return [...databases].map((database) => {
    const names = tables
      .filter((table) => table.database === database)
      .map(({ tableName }) => quoted(tableName));
    const path = database === undefined ? 'TABLE_NAME' : `CONCAT(${quoted(`${database}.`)}, TABLE_NAME)`;
    const schema = database === undefined ? 'DATABASE()' : quoted(database);
    return (
      `SELECT ${path}, COLUMN_NAME, COLUMN_TYPE, ${MYSQL_DEFAULT}, 0 FROM information_schema.COLUMNS ` +
      `WHERE TABLE_SCHEMA = ${schema} AND TABLE_NAME IN (${names.join(', ')})`
    );
  });
}

/** Without a schema, PostgreSQL finds the table by the search path, as a query does. */
function postgresName({ tableName, schema }: NamedTable): string {
  return [schema, tableName].flatMap((part) => (part ? [`"${part.replaceAll('"', '""')}"`] : [])).join('.');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Digits of the largest ID. */
const MAX_DIGITS = 19;
const TYPE = /^(?<name>[a-z ]+?) ?(?:\((?<length>\d+)(?:, ?(?<scale>\d+))?\))?(?: unsigned)?$/;

/** Whether a column of this type stores every ID exactly. Refuses `integer` in SQLite: it is exact, but the driver returns small IDs as numbers. */
export function storesIdsExactly(type: string, { hasExactDecimals = false }: DatabaseFamily): boolean {
  const { name = '', length, scale = '0' } = TYPE.exec(type.toLowerCase())?.groups ?? {};
  if (/^(bigint|(tiny|medium|long)?text)$/.test(name)) return true;
  const isLongEnough = length === undefined || Number(length) >= MAX_DIGITS;
  if (/^(varchar|character varying)$/.test(name)) return isLongEnough;
  return /^(numeric|decimal)$/.test(name) && hasExactDecimals && isLongEnough && scale === '0';
}
