import { statSync } from 'node:fs';
import type { SqlDialect } from './dialect.js';

/**
 * Identifies a database file by device, inode and birth time. A copy that replaces the file has another inode or birth
 * time. A copy written into the file (`cp`, `.restore`) has the same ones, so it can't be detected.
 *
 * @param file its name according to SQLite; empty for a database that is not a file
 */
function fileHistory(file: string): string | undefined {
  if (file === '') return undefined;
  const { dev, ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${dev}/${ino}/${birthtimeNs}`;
}

const FILE = "(SELECT file FROM pragma_database_list WHERE name = 'main')";

/**
 * SQLite 3.24 or later, in a file, with a driver that executes statements on the calling thread. So a transaction runs
 * without interruption, and nothing else in the process can make it hold the lock for longer. Uses the machine's clock.
 */
export const sqlite: SqlDialect = {
  // SQLite stores a time as a whole number of milliseconds. Rounding the day number restores it.
  nowMs: "CAST(round((julianday('now') - 2440587.5) * 86400000) AS integer)",
  connectionId: '0',
  findHistory: async () => ({
    identity: FILE,
    lasting: FILE,
    // The store's connection has `synchronous = EXTRA`.
    needsDurableSettings: false,
    isOriginal: '1 = 1',
  }),
  // The connection of the store sets its own level. Those of other connections can't be read.
  toHistory: fileHistory,
  textType: 'text',
  // BEGIN IMMEDIATE has locked the whole file.
  lockRow: '',
  hasOneConnection: true,
  insertUnlessExists: (table, columns) =>
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  insertOrAdd: (table, key, column) =>
    `INSERT INTO ${table} AS present (${[...key, column].join(', ')}) VALUES (${key.map(() => '?').join(', ')}, ?)` +
    ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${column} = present.${column} + ?`,
  returnsSum: false,
  tableOptions: '',
  failsWhole: false,
  hasIndexInTable: false,
  hasOnUpdate: false,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  parameter: () => '?',
  prepare: () => [
    // SQLite waits for a lock by blocking the thread, so a transaction of the same process that holds it could never end.
    // So SQLite does not wait, and the store retries later.
    'PRAGMA busy_timeout = 0',
    // With a weaker level, a power failure can undo the last commits. FULL is weaker: without WAL, removing the journal from
    // its directory commits, and only EXTRA flushes the directory to disk after that.
    'PRAGMA synchronous = EXTRA',
  ],
  begin: () => ['BEGIN IMMEDIATE'],
  beginReading: () => ['BEGIN'],
  end: [],
};
