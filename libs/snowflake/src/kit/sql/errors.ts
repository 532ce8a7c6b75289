import { SnowflakeError } from '../../core/errors/snowflake-error.js';
import { StoreRejectedError, StoreUnavailableError } from '../../core/errors/lease-errors.js';
import { type ForeignError, safeCopy } from '../../core/errors/foreign-error.js';
import { type Credentials, NO_CREDENTIALS } from '../credentials.js';

/** The database has no history ID, or does not show it, so the store can't detect the loss of a grant. */
export class NoHistory extends Error {}

/** Ends a transaction that would overwrite a row that another one has written since it was read: the lock has failed. */
export class ConcurrentWriteError extends Error {
  /** @param what the row, as users know it */
  constructor(what: string) {
    super(`${what} was changed by another process`);
  }
}

/**
 * What the errors of the drivers mean. Each pattern matches `code message`. The codes are SQLSTATE (PostgreSQL), the names of errors
 * (MySQL and MariaDB) and result codes (SQLite). One code can mean several things.
 */
const MEANINGS = {
  /** A deadlock, a serialization failure or a busy file: the whole transaction can be tried again. */
  conflict:
    /^(40001|40P01|ER_LOCK_DEADLOCK|ER_CHECKREAD|SQLITE_BUSY\w*|SQLITE_LOCKED\w*) |database (table )?is locked/,
  /** The wait for a lock took longer than the connection allows. */
  lockTimeout: /^(55P03|ER_LOCK_WAIT_TIMEOUT) /,
  /** Another transaction has added the same row. */
  sameRow: /^(23505|ER_DUP_ENTRY|SQLITE_CONSTRAINT_PRIMARYKEY) /,
  /** The check of {@link SqlDialect.requireWritten}: a division by zero, or a second row. */
  unwritten: /^(22012|ER_SUBQUERY_NO_1_ROW) /,
  /** A unique index of any kind has refused a row. */
  repeatedValue: /^(23505|ER_DUP_ENTRY) |UNIQUE constraint failed/,
  /** Another transaction has created the same table. */
  sameTable: /^(23505|42P07|42710|XX000|ER_TABLE_EXISTS_ERROR) /,
  /** A value that a table can't hold: a key that exists, or a number or text that is too long. */
  invalidValue:
    /^(2[23]\w{3}|ER_DUP_ENTRY|ER_DATA_OUT_OF_RANGE|ER_WARN_DATA_OUT_OF_RANGE|ER_DATA_TOO_LONG|SQLITE_CONSTRAINT\w*|SQLITE_MISMATCH) /,
  /**
   * MySQL and MariaDB, or SQLite (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction), have or may have
   * rolled back the whole transaction, whose next statements would each commit.
   */
  endsTransaction:
    /^(ER_LOCK_DEADLOCK|ER_LOCK_WAIT_TIMEOUT|ER_CHECKREAD|SQLITE_(FULL|IOERR\w*|NOMEM|INTERRUPT)) /,
  /** The statement failed only because one before it had ended its transaction. */
  afterFailure: /^25P02 /,
  missingTable: /^(42P01|ER_NO_SUCH_TABLE) |no such table/,
  missingColumn: /^(42703|ER_BAD_FIELD_ERROR) |no such column|has no column named/,
  missingRight: /^(42501|ER_TABLEACCESS_DENIED_ERROR|ER_COLUMNACCESS_DENIED_ERROR) /,
  /** A function or variable that this server does not have, or that this user may not read. */
  unsupported:
    /^(42883|0A000|42501|55000|XX000|ER_UNKNOWN_SYSTEM_VARIABLE|ER_SP_DOES_NOT_EXIST|ER_SPECIFIC_ACCESS_DENIED_ERROR) /,
  /** A replica, or a server that was made read-only. */
  readOnly:
    /^(25006|ER_OPTION_PREVENTS_STATEMENT|ER_READ_ONLY_MODE) |recovery is in progress|during recovery/,
  wrongCredentials: /^(28P01|28000|ER_ACCESS_DENIED_ERROR|ER_ACCESS_DENIED_NO_PASSWORD_ERROR) /,
  missingDatabase: /^(3D000|3F000|ER_BAD_DB_ERROR|ER_DBACCESS_DENIED_ERROR) /,
  readOnlyFile: /^SQLITE_READONLY|readonly database/,
  unopenedFile: /^SQLITE_(CANTOPEN|AUTH)|unable to open (connection to local )?database/i,
  foreignFile: /^SQLITE_(NOTADB|CORRUPT)|file is not a database|disk image is malformed/i,
  /** PgBouncer 1.18. */
  statementPooling: /transaction blocks not allowed in statement pooling mode/,
  missingDriver: /package has not been found/,
  missingPlugin: /requests authentication using unknown plugin|^MYSQL_CLEAR_PASSWORD_NOT_ENABLED /,
  failedTls:
    /^HANDSHAKE_NO_SSL_SUPPORT |does not support SSL connections|SSL profile|\bcertificate\b|\bwrong version number\b/,
} as const satisfies Readonly<Record<string, RegExp>>;

/** What an error of a driver can mean. */
export type ErrorMeaning = keyof typeof MEANINGS;

/** Returns whether an error of a driver means one of these. */
export function means(error: unknown, ...meanings: readonly ErrorMeaning[]): boolean {
  const text = codeAndMessage(error);
  return meanings.some((meaning) => MEANINGS[meaning].test(text));
}

/** Describes an error as `code message`. */
function codeAndMessage(error: unknown): string {
  const reason = error instanceof Error ? error : safeCopy(error);
  const code = 'code' in reason && reason.code !== undefined ? `${String(reason.code)} ` : '';
  return code + (reason.message || reason.name);
}

/** Returns whether the whole transaction may succeed if it is retried immediately. */
export function isConflict(error: unknown): boolean {
  return error instanceof ConcurrentWriteError || means(error, 'conflict', 'sameRow');
}

/** Returns whether the server can't answer at all. A replica can't until it takes over. */
export function isUnsupported(error: unknown): boolean {
  return means(error, 'unsupported') && !means(error, 'readOnly');
}

/** The remedies that depend on what a store keeps. */
export interface StoreRemedies {
  readonly missingTables: string;
  readonly missingRights: string;
  readonly noHistory?: string;
  /** How to give a server settings with which a crash can lose commits, if the store relies on those it has. */
  readonly toChangeSettings?: string;
}

/** What an operator must change so that a database no longer refuses. */
export type RefusalSubject =
  | 'tables'
  | 'credentials'
  | 'database'
  | 'rights'
  | 'file'
  | 'format'
  | 'pooling'
  | 'driver'
  | 'tls';

interface Refusal {
  readonly subject: RefusalSubject;
  readonly meaning: ErrorMeaning;
  readonly remedy: string | ((remedies: StoreRemedies) => string);
}

/** Errors that persist until an operator acts, each with its remedy. */
const REFUSALS: readonly Refusal[] = [
  { subject: 'tables', meaning: 'missingTable', remedy: ({ missingTables }) => missingTables },
  { subject: 'rights', meaning: 'missingRight', remedy: ({ missingRights }) => missingRights },
  {
    subject: 'tables',
    meaning: 'missingColumn',
    remedy: 'Another program created this table: choose another tableName.',
  },
  {
    subject: 'credentials',
    meaning: 'wrongCredentials',
    remedy: 'Correct the user name and password of the DataSource.',
  },
  {
    subject: 'database',
    meaning: 'missingDatabase',
    remedy:
      'Create the database or schema, grant the user rights on it, or correct its name in the DataSource.',
  },
  { subject: 'file', meaning: 'readOnlyFile', remedy: 'Make the file and its directory writable.' },
  {
    subject: 'file',
    meaning: 'unopenedFile',
    remedy: 'Correct the file name in the DataSource, or repair the file.',
  },
  {
    subject: 'format',
    meaning: 'foreignFile',
    remedy: 'Correct the file name in the DataSource, or repair the file.',
  },
  {
    subject: 'pooling',
    meaning: 'statementPooling',
    remedy: 'Set pool_mode to transaction or session in the pooler, or connect to the server directly.',
  },
  {
    subject: 'driver',
    meaning: 'missingDriver',
    remedy:
      "Install the driver of the DataSource. With the package libsql, pass it: { type: 'better-sqlite3', driver: libsql }.",
  },
  {
    subject: 'driver',
    meaning: 'missingPlugin',
    remedy: 'Pass the plugin to mysql2 as authPlugins, or let the user log in with another one.',
  },
  {
    subject: 'tls',
    meaning: 'failedTls',
    remedy: 'Turn TLS on in the server, or correct the CA, the host name or the TLS options of this client.',
  },
];

/** Returns what the operator must change; `undefined` if the error is none of the known refusals. */
export function refusalSubject(error: unknown): RefusalSubject | undefined {
  return refusalOf(error)?.subject;
}

function refusalOf(error: unknown): Refusal | undefined {
  return REFUSALS.find(({ meaning }) => means(error, meaning));
}

/**
 * Turns an error of a call into one of this library. Unless it is a known refusal, the error counts as retryable: lost
 * connections, timeouts, deadlocks, servers that start, stop or are read-only.
 *
 * @param store the store's description
 * @param remedies what to do about missing tables, rights and history
 * @param credentials the user to name, and the passwords to remove from the driver's error
 */
export function toSqlStoreError(
  store: string,
  error: unknown,
  remedies: StoreRemedies,
  { user, redaction }: Credentials = NO_CREDENTIALS,
): SnowflakeError {
  if (error instanceof SnowflakeError) return error;
  const cause = safeCopy(error, redaction);
  if (error instanceof NoHistory) return refusalOfHistory(store, cause, remedies.noHistory);
  const problem = codeAndMessage(cause).replace(/\.+$/, '');
  const refusal = refusalOf(error);
  if (refusal) {
    const as = user === undefined ? '' : ` (user "${user}")`;
    const remedy = typeof refusal.remedy === 'string' ? refusal.remedy : refusal.remedy(remedies);
    return new StoreRejectedError(`${store} refuses this client${as}: ${problem}. ${remedy}`, cause);
  }
  const remedy = means(error, 'readOnly')
    ? '. This server is read-only: point the DataSource to the primary, not to a replica or a read balancer'
    : '';
  return new StoreUnavailableError(`${store} is unavailable: ${problem}${remedy}`, cause);
}

function refusalOfHistory(store: string, cause: ForeignError, remedy = ''): StoreRejectedError {
  return new StoreRejectedError(
    `${store} cannot detect whether this database has lost commits: ${cause.message}. ${remedy}`,
    cause,
  );
}
