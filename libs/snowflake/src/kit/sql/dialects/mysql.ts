import {
  HIGH_USE,
  type HistoryExpressions,
  type HistoryTable,
  type Line,
  type LossySetting,
  type LossySettings,
  type SqlDialect,
} from './dialect.js';
import type { Query, SqlRow, SqlValue } from '../statements.js';

/** The second in which the server started. Its short UUIDs begin with it. */
const START = 'UUID_SHORT() >> 24';

/** The creation time of the table. Restoring a dump recreates the table. */
const createdAt = ({ schema, name }: HistoryTable): string =>
  '(SELECT UNIX_TIMESTAMP(create_time) FROM information_schema.tables' +
  ` WHERE table_schema = ${schema ? `'${schema}'` : 'DATABASE()'} AND table_name = '${name}')`;

/** A Galera cluster counts as one server. Its configuration number falls if a node that missed writes bootstraps it again. */
const galera = (name: string): string =>
  `(SELECT variable_value FROM information_schema.global_status WHERE variable_name = '${name}')`;

/** Both servers store the replicated transactions: MariaDB separately, MySQL together with all executed ones. */
const IS_ORIGINAL = {
  mariadb: "@@gtid_slave_pos = ''",
  mysql: "REPLACE(@@gtid_executed, @@server_uuid, '') NOT REGEXP '[0-9a-f]{8}-[0-9a-f]{4}-'",
};

/**
 * The host name changes whenever a container is created again, so it counts only on a server that has been a replica: all
 * servers of a replication have different server IDs, but nothing else forces two servers to differ in theirs.
 */
const HOST_OF_REPLICA = "IF(@@gtid_slave_pos = '', '', @@hostname)";

const parts = (...values: string[]): string => `CONCAT_WS('/', ${values.join(', ')})`;

const variables = (...names: readonly string[]): string =>
  `SHOW VARIABLES WHERE variable_name IN (${names.map((name) => `'${name}'`).join(', ')})`;

const variablesIn = (rows: readonly SqlRow[]): Map<string, string> =>
  new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));

async function findHistory(query: Query, table: HistoryTable): Promise<HistoryExpressions> {
  const found = variablesIn(await query(variables('version', 'wsrep_on')));
  if (!/mariadb/i.test(found.get('version') ?? ''))
    return {
      identity: parts('@@server_uuid', START),
      lasting: '@@server_uuid',
      needsDurableSettings: true,
      isOriginal: IS_ORIGINAL.mysql,
    };
  if (found.get('wsrep_on') === 'ON') {
    const cluster = parts(
      galera('wsrep_cluster_state_uuid'),
      galera('wsrep_cluster_conf_id'),
      createdAt(table),
    );
    // The other nodes have copies, and the history ID changes if the cluster is bootstrapped again.
    return {
      identity: cluster,
      lasting: cluster,
      needsDurableSettings: false,
      isOriginal: IS_ORIGINAL.mariadb,
    };
  }
  const ofStart = ['@@hostname', START, 'RIGHT(UUID(), 17)'];
  return {
    identity: parts('@@server_id', '@@port', ...ofStart, createdAt(table)),
    lasting: parts('@@server_id', '@@port', HOST_OF_REPLICA, createdAt(table)),
    needsDurableSettings: true,
    isOriginal: IS_ORIGINAL.mariadb,
  };
}

const FLUSH = 'innodb_flush_log_at_trx_commit';
const FLUSH_METHOD = 'innodb_flush_method';

const DOUBLEWRITE = 'innodb_doublewrite';
const CHECKSUM = 'innodb_checksum_algorithm';

/**
 * Without a doublewrite buffer, a crash can damage pages. That counts only on a server that computes no checksums, and so wouldn't
 * notice: any other one refuses a damaged page.
 */
const lossySettings: LossySettings = {
  statement: variables(FLUSH, FLUSH_METHOD, 'log_bin', 'sync_binlog', DOUBLEWRITE, CHECKSUM),
  read: (rows) => {
    const found = variablesIn(rows);
    const lossy = (name: string, durable: string, isDurable: (value: string) => boolean): LossySetting[] => {
      const value = found.get(name);
      return value === undefined || isDurable(value) ? [] : [{ name, value, durable }];
    };
    // With a binary log, 1 doesn't flush the end of a commit: after a crash, the server rolls back what the binary log doesn't have.
    const needsBinaryLog = found.get('log_bin') === 'ON' && found.get(FLUSH) === '1';
    return [
      // 3, of MariaDB, flushes once more than 1.
      ...lossy(FLUSH, '1', (value) => value === '1' || value === '3'),
      ...(needsBinaryLog ? lossy('sync_binlog', '1', (value) => value === '1') : []),
      ...lossy(FLUSH_METHOD, 'fsync', (value) => !/^(nosync|littlesync)$/i.test(value)),
      ...((found.get(CHECKSUM) ?? '').endsWith('none')
        ? lossy(DOUBLEWRITE, 'ON', (value) => !/^(OFF|0|DETECT_ONLY)$/i.test(value))
        : []),
    ];
  },
};

const inSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** `prepare` sets a mode in which a backslash escapes. */
const literal = (value: SqlValue): string =>
  typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : String(value ?? 'NULL');

/** The lock of a line. Its name counts on the whole server, and may have 64 characters. */
const lineLock = ({ name, isNewcomer }: Line): string =>
  `CONCAT('snowflake ', LEFT(SHA2(CONCAT_WS('/', DATABASE(), ${literal(isNewcomer ? name : `${name} holders`)}), 256), 32))`;

/** MySQL 5.7 or later and MariaDB 10.2 or later, with InnoDB. */
export const mysql: SqlDialect = {
  // The start of this statement, which runs after the one that takes the lock. UTC, because local time repeats an hour.
  nowMs: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000",
  connectionId: 'CONNECTION_ID()',
  findHistory,
  place: {
    word: 'database',
    expression: ({ schema }) => (schema ? `'${schema}'` : 'DATABASE()'),
  },
  lossySettings,
  toHistory: (value) => value,
  // The second SELECT fails if it is evaluated, because it returns two rows.
  requireWritten: () => 'SELECT IF(ROW_COUNT() = 1, 1, (SELECT 1 UNION ALL SELECT 2))',
  textType: 'char',
  lockRow: ' FOR UPDATE',
  // The alias is needed, because MySQL 8 returns the name in capitals.
  engineOfTable:
    'SELECT engine AS engine FROM information_schema.tables' +
    " WHERE table_schema = COALESCE(NULLIF(?, ''), DATABASE()) AND table_name = ?",
  collationOfColumn:
    'SELECT collation_name AS `collation` FROM information_schema.columns' +
    ' WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND column_name = ?',
  hasOneConnection: false,
  insertUnlessExists: (table, columns) =>
    `INSERT IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  // Locks the row exclusively. A locking read of a missing row, or INSERT IGNORE, would let two transactions deadlock.
  insertOrAdd: (table, key, column) =>
    `INSERT INTO ${table} (${[...key, column].join(', ')}) VALUES (${key.map(() => '?').join(', ')}, ?)` +
    ` ON DUPLICATE KEY UPDATE ${column} = ${column} + ?`,
  returnsSum: false,
  // Names and fencing tokens are case-sensitive; many collations are not.
  tableOptions: ' ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  failsWhole: false,
  hasIndexInTable: true,
  hasOnUpdate: true,
  quote: (identifier) => `\`${identifier.replaceAll('`', '``')}\``,
  parameter: () => '?',
  literal,
  connections: {
    statements: ["SHOW GLOBAL STATUS LIKE 'Threads_connected'", 'SELECT @@max_connections AS allowed'],
    isHigh: ([used, limit]) => Number(used?.['Value']) >= HIGH_USE * Number(limit?.['allowed']),
  },
  prepare: (callTimeoutMs) => [
    `SET SESSION innodb_lock_wait_timeout = ${inSeconds(callTimeoutMs)}`,
    // The wait for a table that is locked or being altered; a year by default.
    `SET SESSION lock_wait_timeout = ${inSeconds(callTimeoutMs)}`,
    // One mode reads the empty fencing token of a released row as NULL, and without a strict mode the server truncates a value
    // that does not fit.
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
  ],
  begin: (callTimeoutMs) => [
    // A process that pauses while it holds the lock must not block all others.
    `SET SESSION wait_timeout = ${inSeconds(callTimeoutMs)}`,
    // The first read of a table locks, so every isolation level sees all earlier commits.
    'START TRANSACTION READ WRITE',
  ],
  // Nodes of Galera share no such lock. Some refuse it, and then would refuse all newcomers.
  lacksLine: {
    statement: "SHOW VARIABLES WHERE variable_name = 'wsrep_on' AND value = 'ON'",
    isShown: (rows) => rows.length > 0,
  },
  // Those that wait for a row fail after one call, and InnoDB doesn't let them pass in the order in which they came.
  line: (wait) => [
    'SET @snowflake_queued = UTC_TIMESTAMP(6)',
    `SELECT GET_LOCK(${lineLock(wait)}, ${inSeconds(wait.waitMs)})`,
    'SELECT TIMESTAMPDIFF(MICROSECOND, @snowflake_queued, UTC_TIMESTAMP(6)) DIV 1000 AS waited_ms',
  ],
  // The statement of a session that waits names its lock. Text compares without case, and namespaces don't.
  newcomersIn: (name) =>
    'SELECT COUNT(*) AS waiting, MAX(time) * 1000 AS longest_ms FROM information_schema.processlist' +
    " WHERE state = 'User lock' AND db = DATABASE()" +
    ` AND INSTR(info, CAST(${literal(lineLock({ name, isNewcomer: true }))} AS BINARY)) > 0`,
  leaveLine: (line) => [`DO RELEASE_LOCK(${lineLock(line)})`],
  beginReading: () => ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION READ ONLY'],
  end: ['SET SESSION wait_timeout = DEFAULT'],
};
