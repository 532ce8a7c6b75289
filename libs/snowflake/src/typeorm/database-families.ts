import type { EntityMetadata } from 'typeorm';

/** 2^53 + 1: the smallest integer that a JavaScript number can't hold. */
export const PROBE = '9007199254740993';

type Table = Pick<EntityMetadata, 'tablePath' | 'tableName' | 'schema' | 'database'>;

/** The data that the start-up checks need about a family of databases. */
export interface DatabaseFamily {
  /** Matches the `type` of the DataSource options. */
  readonly includes: RegExp;
  /** SQL for {@link PROBE} as a value of the type of `bigint` columns. */
  readonly probe: string;
  /** The remedy if the driver rounds. */
  readonly remedy: string;
  /** Returns SELECTs of table path, column name, column type and 0. Absent if the catalog is unknown. */
  readonly columnsOf?: (tables: readonly Table[]) => string[];
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
  columnsOf: (tables: readonly Table[]): string[] => [
    'SELECT m.name, p.name, p.type, 0 FROM sqlite_master m JOIN pragma_table_info(m.name) p ' +
      `WHERE m.name COLLATE NOCASE IN (${tables.map(({ tableName }) => quoted(tableName)).join(', ')})`,
  ],
};

/** The databases whose columns are checked before an app writes to them. */
export const FAMILIES: readonly DatabaseFamily[] = [
  {
    ...POSTGRES,
    includes: /^(aurora-)?postgres$/,
    hasExactDecimals: true,
    columnsOf: (tables) => [
      'SELECT t.path, a.attname, format_type(COALESCE(NULLIF(p.typbasetype, 0), a.atttypid), ' +
        'CASE WHEN p.typbasetype = 0 THEN a.atttypmod ELSE p.typtypmod END), 0 ' +
        `FROM (VALUES ${tables.map((table) => `(${quoted(table.tablePath)}, ${quoted(postgresName(table))})`).join(', ')}) ` +
        'AS t(path, name) JOIN pg_attribute a ON a.attrelid = to_regclass(t.name) AND a.attnum > 0 ' +
        'JOIN pg_type p ON p.oid = a.atttypid',
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

/** Uses one SELECT per database: with a constant TABLE_SCHEMA, information_schema opens only these tables. */
function mysqlColumns(tables: readonly Table[]): string[] {
  const databases = new Set(tables.map(({ database }) => database));
  return [...databases].map((database) => {
    const names = tables
      .filter((table) => table.database === database)
      .map(({ tableName }) => quoted(tableName));
    const path = database === undefined ? 'TABLE_NAME' : `CONCAT(${quoted(`${database}.`)}, TABLE_NAME)`;
    const schema = database === undefined ? 'DATABASE()' : quoted(database);
    return (
      `SELECT ${path}, COLUMN_NAME, COLUMN_TYPE, 0 FROM information_schema.COLUMNS ` +
      `WHERE TABLE_SCHEMA = ${schema} AND TABLE_NAME IN (${names.join(', ')})`
    );
  });
}

/** Without a schema, PostgreSQL finds the table by the search path, as a query does. */
function postgresName({ tableName, schema }: Table): string {
  return [schema, tableName].flatMap((part) => (part ? [`"${part.replaceAll('"', '""')}"`] : [])).join('.');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
