import { HIGH_USE, type LossySettings, type SqlDialect } from './dialect.js';
import type { SqlValue } from '../statements.js';

/**
 * The present timeline. `pg_control_checkpoint()` shows that of the last checkpoint, which can be minutes old.
 */
const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

/** The start of the server. Restoring old files of the same server changes nothing else. */
const START = "to_char(pg_postmaster_start_time() AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')";

/** With E, a backslash has one meaning, whatever `standard_conforming_strings` is. */
const literal = (value: SqlValue): string => {
  if (typeof value !== 'string') return String(value ?? 'NULL');
  // It would end the message.
  if (value.includes('\0')) throw new RangeError('a text of PostgreSQL can hold no character 0');
  const text = value.replaceAll("'", "''");
  return text.includes('\\') ? `E'${text.replaceAll('\\', '\\\\')}'` : `'${text}'`;
};

/** The cluster, its timeline (a promotion and a point-in-time recovery begin another one), the database and the table. */
const lastingOf = (table: string): string =>
  "concat_ws('/', (SELECT system_identifier FROM pg_control_system())," +
  ` ${TIMELINE},` +
  ' (SELECT oid FROM pg_database WHERE datname = current_database()),' +
  ` ${literal(table)}::regclass::oid)`;

const WRITER_OF_ROW = 'xmin::text';
const WRITER = '(txid_current() & 4294967295)::text';

/** Amazon Aurora and Neon commit to a storage service. */
const HAS_STORAGE_SERVICE =
  "to_regproc('aurora_version') IS NOT NULL OR current_setting('neon.timeline_id', true) IS NOT NULL";

/**
 * How many lines lead to one lock. PostgreSQL looks for a deadlock whenever a session has waited for a second. How long that takes grows
 * with the third power of the number of sessions in the line, and no session of the server gets a lock meanwhile.
 */
const LINES = 32;

const advisoryLock = (key: string): string =>
  `pg_advisory_xact_lock(hashtext('snowflake'), hashtext(${key}))`;

/** The lines that lead to the lock of newcomers, without their numbers. */
const newcomersLine = (name: string): string => literal(`${name} line `);

/**
 * Leaves out `synchronous_commit`, which {@link SqlDialect.begin} sets for each transaction of the store. A crash can tear a page that is
 * not written in full.
 */
const lossySettings: LossySettings = {
  // Sorts nothing and reads no view of all settings, because each claim of a segment asks while it holds a lock.
  statement:
    `SELECT name, current_setting(name) AS setting, CASE WHEN ${HAS_STORAGE_SERVICE} THEN 1 ELSE 0 END AS is_replaced` +
    " FROM (VALUES ('fsync'), ('full_page_writes')) AS lossy (name) WHERE current_setting(name) = 'off'",
  read: (rows) =>
    rows.map(({ name, setting, is_replaced: isReplaced }) => ({
      name: String(name),
      value: String(setting),
      durable: 'on',
      isReplaced: Number(isReplaced) === 1,
    })),
};

/** PostgreSQL 10 or later. */
export const postgres: SqlDialect = {
  // now() would be the start of the transaction, before the wait for the lock.
  nowMs: 'CAST(floor(extract(epoch from clock_timestamp()) * 1000) AS bigint)',
  connectionId: 'pg_backend_pid()',
  findHistory: async (_query, { quoted }) => ({
    identity: `concat_ws('/', ${lastingOf(quoted)}, ${START})`,
    lasting: lastingOf(quoted),
    needsDurableSettings: true,
    isOriginal: `${TIMELINE} = '00000001'`,
  }),
  place: {
    word: 'schema',
    expression: ({ quoted }) =>
      '(SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace' +
      ` WHERE pg_class.oid = to_regclass(${literal(quoted)}))`,
  },
  lossySettings,
  toHistory: (value) => value,
  writer: { ofRow: WRITER_OF_ROW, current: WRITER },
  requireWritten: (table, condition) =>
    `SELECT 1 / COUNT(*) FROM ${table} WHERE ${condition} AND ${WRITER_OF_ROW} = ${WRITER}`,
  returnsFromWrites: true,
  textType: 'text',
  lockRow: ' FOR UPDATE',
  persistenceOfTable:
    'SELECT relpersistence::text AS persistence FROM pg_class WHERE oid = to_regclass(CAST(? AS text))',
  hasOneConnection: false,
  insertUnlessExists: (table, columns) =>
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  insertOrAdd: (table, key, column) =>
    `INSERT INTO ${table} AS present (${[...key, column].join(', ')}) VALUES (${key.map(() => '?').join(', ')}, ?)` +
    ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${column} = present.${column} + ? RETURNING ${column}`,
  returnsSum: true,
  tableOptions: '',
  // regclass would fail without the right to use the schema.
  writableTables: (schema, table) =>
    '(SELECT COUNT(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace' +
    ` WHERE nspname = ${literal(schema)} AND relname = ${literal(table)}` +
    " AND has_schema_privilege(pg_namespace.oid, 'USAGE') AND has_table_privilege(pg_class.oid, 'INSERT'))",
  failsWhole: true,
  hasIndexInTable: false,
  hasOnUpdate: false,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  parameter: (position) => `$${position}`,
  literal,
  connections: {
    statements: [
      'SELECT (SELECT SUM(numbackends) FROM pg_stat_database) AS used,' +
        " current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS allowed",
    ],
    isHigh: ([row]) => Number(row?.['used']) >= HIGH_USE * Number(row?.['allowed']),
  },
  prepare: () => [],
  begin: (callTimeoutMs) => [
    // At any other level, a statement would not see what others committed during the wait for the lock.
    'START TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE',
    // Third: a process that pauses while it holds the lock must not block all others. Fourth: before a table is analysed,
    // PostgreSQL sorts all worker IDs instead of reading them by the index. Fifth: a statement that must sort counts as dear for that
    // reason, so PostgreSQL would compile it for 150 ms; version 10 has no compiler. Last: a server crash must not undo a commit.
    `SELECT set_config('lock_timeout', '${callTimeoutMs}', true),` +
      ` set_config('statement_timeout', '${callTimeoutMs}', true),` +
      ` set_config('idle_in_transaction_session_timeout', '${callTimeoutMs}', true),` +
      " set_config('enable_sort', 'off', true)," +
      " set_config(CASE WHEN current_setting('jit', true) IS NULL THEN 'enable_sort' ELSE 'jit' END, 'off', true)," +
      ` set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'` +
      ` ELSE current_setting('synchronous_commit') END, true)`,
  ],
  line: ({ name, waitMs, isNewcomer }) => {
    const ofLine = isNewcomer ? newcomersLine(name) : literal(`${name} holders `);
    const lock = advisoryLock(`${ofLine} || pg_backend_pid() % ${LINES}`);
    return [
      `SELECT set_config('lock_timeout', '${waitMs}', true), set_config('statement_timeout', '${waitMs}', true)`,
      `SELECT ${isNewcomer ? `${lock}, ${advisoryLock(literal(name))}` : lock}`,
      'SELECT CAST(extract(epoch from clock_timestamp() - transaction_timestamp()) * 1000 AS integer) AS waited_ms',
    ];
  },
  newcomersIn: (name) =>
    'SELECT count(*) AS waiting, CAST(max(extract(epoch from clock_timestamp() - query_start)) * 1000 AS bigint) AS longest_ms' +
    " FROM pg_locks LEFT JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND NOT granted AND objsubid = 2" +
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid = hashtext('snowflake')::oid" +
    ` AND objid IN (SELECT hashtext(${newcomersLine(name)} || line)::oid FROM generate_series(0, ${LINES - 1}) AS line` +
    ` UNION ALL SELECT hashtext(${literal(name)})::oid)`,
  beginReading: (callTimeoutMs) => [
    'START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY',
    `SELECT set_config('lock_timeout', '${callTimeoutMs}', true),` +
      ` set_config('statement_timeout', '${callTimeoutMs}', true)`,
  ],
  end: [],
};
