import { alterTables, byTable, type ColumnName, keyOf, type Migration, NOTHING, tablesOf } from './steps.js';

/** A column of MariaDB or MySQL that holds IDs. Tables are written as in SQL, other names as they are. */
export interface MysqlColumn extends ColumnName {
  /** What follows the name in `SHOW CREATE TABLE`. */
  readonly definition: string;
  /** Whether the app generates the IDs of this column. */
  readonly isKey: boolean;
  /** Sequence and trigger that count in place of `AUTO_INCREMENT`, as SQL writes them. */
  readonly counter: string;
  /** Whether that trigger exists. */
  readonly hasCounter: boolean;
}

export interface MysqlForeignKey {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

export interface MysqlSchema {
  /** MariaDB has sequences and `NOWAIT`; MySQL hasn't. */
  readonly isMariaDb: boolean;
  readonly columns: readonly MysqlColumn[];
  readonly foreignKeys: readonly MysqlForeignKey[];
}

const INTEGER = /^(?:tiny|small|medium)?int(?:eger)?\b(?:\(\d+\))?(?: unsigned)?(?: zerofill)?/i;
/** Matches only if nothing before it is quoted, because a counting column has no default. */
const COUNTING = /^([^']*?) AUTO_INCREMENT\b/i;

/** 2^48: counted keys are smaller. Snowflake IDs are larger from the first day after their epoch on. */
const LARGE = 281_474_976_710_656;

/** Numbers left free for the rows that are inserted before the triggers exist. */
const GAP = 1_000_000;

/** Refuses values that don't fit, and keeps a key 0. Doesn't check existing foreign keys again. */
const SESSION = [
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO'",
  'SET SESSION foreign_key_checks = 0',
];

const OFFLINE = '-- Stop the app first. After an error, continue with the statement that failed.';

/** Plans the migration of these columns on MariaDB or MySQL. Both ends of a foreign key must have the same type there. */
export function mysqlMigration(schema: MysqlSchema): Migration {
  const counting = schema.columns.filter(({ definition, isKey }) => isKey && COUNTING.test(definition));
  return {
    widen: widen(schema, schema.isMariaDb ? counting.filter(({ hasCounter }) => !hasCounter) : []),
    'stop-counting': counting.length === 0 ? NOTHING : stopCounting(counting, schema.isMariaDb),
  };
}

function widen({ columns, foreignKeys, isMariaDb }: MysqlSchema, counting: readonly MysqlColumn[]) {
  const narrow = columns.filter(({ definition }) => INTEGER.test(definition));
  if (narrow.length + counting.length === 0) return NOTHING;
  const changed = new Set(narrow.map(keyOf));
  const affected = foreignKeys.filter(({ table, columns: names, parent, parentColumns }) =>
    [
      ...names.map((name) => keyOf({ table, name })),
      ...parentColumns.map((name) => keyOf({ table: parent, name })),
    ].some((key) => changed.has(key)),
  );
  // With IF EXISTS, all statements can be run again after an error.
  const ifExists = isMariaDb ? 'IF EXISTS ' : '';
  const retype = (definitionOf: (column: MysqlColumn) => string): string[] => [
    ...alterTables(affected, ({ name }) => [`DROP FOREIGN KEY ${ifExists}${quoted(name)}`]),
    ...alterTables(narrow, (column) => [`MODIFY ${quoted(column.name)} ${definitionOf(column)}`]),
    ...alterTables(affected, (foreignKey) => [`ADD ${constraintOf(foreignKey, isMariaDb)}`]),
  ];
  const lock = lockOf(
    [...columns, ...affected.flatMap(({ table, parent }) => [{ table }, { table: parent }])],
    isMariaDb,
  );
  return {
    forward: [
      ...(isMariaDb ? [] : [OFFLINE]),
      ...SESSION,
      ...counting.flatMap(sequenceFor),
      lock,
      ...retype(({ definition }) => wide(definition)),
      ...counting.map(triggerFor),
      'UNLOCK TABLES',
    ],
    back: [
      ...(isMariaDb ? [] : [OFFLINE]),
      ...SESSION,
      lock,
      ...refuseLarge([...narrow, ...counting.filter((key) => !narrow.includes(key))]),
      ...counting.map(({ counter }) => `DROP TRIGGER IF EXISTS ${counter}`),
      ...retype(({ definition }) => definition),
      'UNLOCK TABLES',
      ...counting.map(({ counter }) => `DROP SEQUENCE IF EXISTS ${counter}`),
    ],
  };
}

/** Keeps the sequences, so that the way back continues after the largest number. */
function stopCounting(keys: readonly MysqlColumn[], isMariaDb: boolean) {
  const online = isMariaDb ? ', ALGORITHM = INPLACE, LOCK = NONE' : '';
  const modify = ({ table, name }: MysqlColumn, definition: string): string =>
    `ALTER TABLE ${table} MODIFY ${quoted(name)} ${definition}`;
  const counters = isMariaDb ? keys : [];
  const last = `-- When you are sure that you won't undo this step: DROP SEQUENCE ${keys.map(({ counter }) => counter).join(', ')}`;
  return {
    forward: [
      ...SESSION,
      // MySQL takes no 0, and the app is stopped there.
      ...(isMariaDb ? ['SET SESSION lock_wait_timeout = 0'] : [OFFLINE]),
      ...keys.map((key) => `${modify(key, wide(key.definition).replace(COUNTING, '$1'))}${online}`),
      ...counters.map(({ counter }) => `DROP TRIGGER IF EXISTS ${counter}`),
      ...(isMariaDb ? [last] : []),
    ],
    back: [
      ...SESSION,
      // If a sequence was dropped, this fails. With its trigger alone, every INSERT would fail, even one with an ID.
      ...counters.map(({ counter }) => `SELECT 1 FROM ${counter} LIMIT 0`),
      lockOf(keys, isMariaDb),
      ...keys.map((key) => modify(key, wide(key.definition))),
      ...counters.map(triggerFor),
      'UNLOCK TABLES',
    ],
  };
}

/** With `NOWAIT`, the statement never waits while it holds a lock, so it can't deadlock with the app. */
function lockOf(columns: readonly { readonly table: string }[], isMariaDb: boolean): string {
  const tables = tablesOf(columns).map((table) => `${table} WRITE`);
  return `LOCK TABLES ${tables.join(', ')}${isMariaDb ? ' NOWAIT' : ''}`;
}

/** Starts the sequence above the existing IDs: unlike `AUTO_INCREMENT`, a sequence doesn't follow explicit IDs. */
function sequenceFor({ table, name, counter }: MysqlColumn): string[] {
  const make = `CREATE SEQUENCE IF NOT EXISTS ${counter} START WITH `.replaceAll("'", "''");
  const start = `COALESCE(MAX(${quoted(name)}), 0) + ${GAP}`;
  return [`SET @make = (SELECT CONCAT('${make}', ${start}) FROM ${table})`, 'EXECUTE IMMEDIATE @make'];
}

function triggerFor({ table, name, counter }: MysqlColumn): string {
  const value = `NEW.${quoted(name)}`;
  return (
    `CREATE TRIGGER IF NOT EXISTS ${counter} BEFORE INSERT ON ${table} FOR EACH ROW\n` +
    `  SET ${value} = IF(${value} <> 0, ${value}, NEXTVAL(${counter}))`
  );
}

/** Returns statements that fail, before anything has changed, if one of the columns holds a Snowflake ID. */
function refuseLarge(columns: readonly MysqlColumn[]): string[] {
  return byTable(columns).flatMap(([table, own]) => {
    const types = own.map(({ name, definition }) => {
      const type = INTEGER.exec(definition)?.[0] ?? `bigint CHECK (${quoted(name)} < ${LARGE})`;
      return `${quoted(name)} ${type}`;
    });
    const largest = own.map(({ name }) => `MAX(${quoted(name)}) AS ${quoted(name)}`);
    return [
      `CREATE TEMPORARY TABLE largest (${types.join(', ')}) SELECT ${largest.join(', ')} FROM ${table}`,
      'DROP TEMPORARY TABLE largest',
    ];
  });
}

function constraintOf(foreignKey: MysqlForeignKey, isMariaDb: boolean): string {
  const { name, columns, parent, parentColumns, onDelete, onUpdate } = foreignKey;
  const list = (names: readonly string[]): string => names.map(quoted).join(', ');
  // RESTRICT is the default of MariaDB. If it is written out, MariaDB stores NO ACTION.
  const rule = (event: string, action: string): string =>
    isMariaDb && action === 'RESTRICT' ? '' : ` ON ${event} ${action}`;
  return (
    `CONSTRAINT ${quoted(name)} FOREIGN KEY (${list(columns)}) REFERENCES ${parent} (${list(parentColumns)})` +
    rule('DELETE', onDelete) +
    rule('UPDATE', onUpdate)
  );
}

function wide(definition: string): string {
  return definition.replace(INTEGER, 'bigint');
}

export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
