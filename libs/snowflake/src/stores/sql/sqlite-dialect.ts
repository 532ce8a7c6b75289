import { statSync } from 'node:fs';
import type { SqlDialect } from './sql-dialect.js';

/**
 * Identifies a database file by device, inode and time of birth. A copy moved into its place has another inode or time of
 * birth. A copy written into the file (`cp`, `.restore`) has neither, so it goes unseen.
 *
 * @param file as SQLite names it; empty for a database that is not a file
 */
function fileHistory(file: string): string | undefined {
  if (file === '') return undefined;
  const { dev, ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${dev}/${ino}/${birthtimeNs}`;
}

/**
 * SQLite 3.24 or later, in a file, by a driver that executes statements on the calling thread: so a transaction runs in
 * one go, and nothing else that the process does can make it hold the lock for longer. The clock is that of the machine.
 */
export const sqlite: SqlDialect = {
  // SQLite keeps a time as a whole number of milliseconds; the day number is rounded back to it.
  nowMs: "CAST(round((julianday('now') - 2440587.5) * 86400000) AS integer)",
  connectionId: '0',
  findHistory: async () => ({
    identity: "(SELECT file FROM pragma_database_list WHERE name = 'main')",
    isOriginal: '1 = 1',
  }),
  toHistory: fileHistory,
  textType: 'text',
  // BEGIN IMMEDIATE has locked the whole file.
  lockRow: '',
  insertKey: (table, keyColumn) => `INSERT INTO ${table} (${keyColumn}) VALUES (?) ON CONFLICT DO NOTHING`,
  tableOptions: '',
  failsWhole: false,
  hasIndexInTable: false,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  parameter: () => '?',
  prepare: () => [
    // SQLite waits for a lock by blocking the thread: a transaction of the same process that holds it could never end.
    // So it does not wait, and the store asks again later.
    'PRAGMA busy_timeout = 0',
    // With less, the last commits can be undone by a power failure. FULL is less: without WAL, what commits is that the
    // journal is removed from its directory, and only EXTRA writes the directory to disk after that.
    'PRAGMA synchronous = EXTRA',
  ],
  begin: () => ['BEGIN IMMEDIATE'],
  end: [],
  masterOptions: [],
  ownOptions: () => ({
    timeout: 0,
    statementCacheSize: 30,
    prepareDatabase: undefined,
    verbose: undefined,
  }),
};
