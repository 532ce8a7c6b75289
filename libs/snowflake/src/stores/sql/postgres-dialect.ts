import type { SqlDialect } from './sql-dialect.js';

/** PostgreSQL 9.6 or later. */
export const postgres: SqlDialect = {
  // now() would be the start of the transaction, from before the lock was had.
  nowMs: 'CAST(floor(extract(epoch from clock_timestamp()) * 1000) AS bigint)',
  textType: 'text',
  lockRow: ' FOR UPDATE',
  insertKey: (table, keyColumn) => `INSERT INTO ${table} (${keyColumn}) VALUES (?) ON CONFLICT DO NOTHING`,
  tableOptions: '',
  hasIndexInTable: false,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  parameter: (position) => `$${position}`,
  prepare: () => [],
  begin: (callTimeoutMs) => [
    // With any other level a statement would not see what was committed while the lock was waited for.
    'START TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE',
    // The third one: a process that is paused while it holds the lock must not stop all others. The fourth one: as long
    // as a table was never analysed, PostgreSQL would rather sort all worker IDs than read them by the index. The last
    // one: a commit that a crash of the server can undo is none.
    `SELECT set_config('lock_timeout', '${callTimeoutMs}', true),` +
      ` set_config('statement_timeout', '${callTimeoutMs}', true),` +
      ` set_config('idle_in_transaction_session_timeout', '${callTimeoutMs}', true),` +
      " set_config('enable_sort', 'off', true)," +
      ` set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'` +
      ` ELSE current_setting('synchronous_commit') END, true)`,
  ],
  end: [],
  masterOptions: ['url', 'host', 'port', 'username', 'password', 'database', 'ssl'],
  ownOptions: (options, callTimeoutMs, connectionName) => ({
    poolSize: 1,
    applicationName: connectionName,
    connectTimeoutMS: callTimeoutMs,
    installExtensions: false,
    extensions: undefined,
    logNotifications: false,
    parseInt8: undefined,
    poolErrorHandler: () => undefined,
    // Last, because what it names wins: the app's own bound may be none.
    extra: { ...options.extra, max: 1, min: 0, connectionTimeoutMillis: callTimeoutMs },
  }),
};
