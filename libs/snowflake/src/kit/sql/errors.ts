import { SnowflakeError, StoreRejectedError, StoreUnavailableError } from '../../core/errors/index.js';
import { type ForeignError, safeCopy } from '../../core/errors/foreign-error.js';
import { type Credentials, NO_CREDENTIALS } from '../credentials.js';

/** The database has no history ID, or does not show it, so the store can't detect the loss of a grant. */
export class NoHistory extends Error {}

/** Ends a transaction that would overwrite a row that another one has written since it was read: the lock has failed. */
export class Overtaken extends Error {
  /** @param what the row, as users know it */
  constructor(what: string) {
    super(`another process was faster with ${what}`);
  }
}

/**
 * Another process has changed the same rows, or added the same row: the whole transaction can be tried again.
 */
const CONFLICT =
  /^(40001|40P01|23505|ER_LOCK_DEADLOCK|ER_CHECKREAD|ER_DUP_ENTRY|SQLITE_CONSTRAINT_PRIMARYKEY|SQLITE_BUSY\w*|SQLITE_LOCKED\w*) |database (table )?is locked/;
/** Two processes created the same table at once. */
const CREATED_TWICE = /^(23505|42P07|42710|XX000|ER_TABLE_EXISTS_ERROR) /;
const MISSING_TABLE = /^(42P01|ER_NO_SUCH_TABLE) |no such table/;

/** A function or variable that this server does not have, or that this user may not read. */
const UNSUPPORTED =
  /^(42883|0A000|42501|55000|XX000|ER_UNKNOWN_SYSTEM_VARIABLE|ER_SP_DOES_NOT_EXIST|ER_SPECIFIC_ACCESS_DENIED_ERROR) /;
/** A replica, or a server that was made read-only. */
const NOT_WRITABLE =
  /^(25006|ER_OPTION_PREVENTS_STATEMENT|ER_READ_ONLY_MODE) |recovery is in progress|during recovery/;

/** What an operator must change so that a database no longer refuses. */
export type RefusalSubject =
  'tables' | 'credentials' | 'database' | 'rights' | 'file' | 'format' | 'pooling' | 'driver';

interface Refusal {
  readonly subject: RefusalSubject;
  readonly matches: RegExp;
  readonly remedy: string;
}

const MISSING_RIGHTS = /^(42501|ER_TABLEACCESS_DENIED_ERROR|ER_COLUMNACCESS_DENIED_ERROR) /;

/** The remedies that depend on what a store keeps. */
export interface StoreRemedies {
  readonly missingTables: string;
  readonly missingRights: string;
  readonly noHistory: string;
}

export const LEASE_REMEDIES: StoreRemedies = {
  missingTables: 'Run the migration CreateSnowflakeLeaseTables1767225600000, or set createTable: true.',
  missingRights:
    'Give its user SELECT, INSERT and UPDATE on both tables, and also CREATE if createTable is true.',
  noHistory:
    'If it never loses an acknowledged commit, set assumeNoLostWrites: true. Otherwise use another lease store.',
};

/** Errors that persist until an operator acts, each with its remedy. */
const REFUSALS: readonly Refusal[] = [
  {
    subject: 'tables',
    matches: /^(42703|ER_BAD_FIELD_ERROR) |no such column|has no column named/,
    remedy: 'Another program created this table: choose another tableName.',
  },
  {
    subject: 'credentials',
    matches: /^(28P01|28000|ER_ACCESS_DENIED_ERROR|ER_ACCESS_DENIED_NO_PASSWORD_ERROR) /,
    remedy: 'Correct the user name and password of the DataSource.',
  },
  {
    subject: 'database',
    matches: /^(3D000|3F000|ER_BAD_DB_ERROR|ER_DBACCESS_DENIED_ERROR) /,
    remedy:
      'Create the database or schema, grant the user rights on it, or correct its name in the DataSource.',
  },
  {
    subject: 'file',
    matches: /^SQLITE_READONLY|readonly database/,
    remedy: 'Make the file and its directory writable.',
  },
  {
    subject: 'file',
    matches: /^SQLITE_(CANTOPEN|AUTH)|unable to open (connection to local )?database/i,
    remedy: 'Correct the file name in the DataSource, or repair the file.',
  },
  {
    subject: 'format',
    matches: /^SQLITE_(NOTADB|CORRUPT)|file is not a database|disk image is malformed/i,
    remedy: 'Correct the file name in the DataSource, or repair the file.',
  },
  {
    subject: 'pooling',
    // PgBouncer 1.18.
    matches: /transaction blocks not allowed in statement pooling mode/,
    remedy: 'Set pool_mode to transaction or session in the pooler, or connect to the server directly.',
  },
  {
    subject: 'driver',
    matches: /package has not been found|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND/,
    remedy:
      "Install the driver of the DataSource. With the package libsql, pass it: { type: 'better-sqlite3', driver: libsql }.",
  },
];

/** Describes an error as `code message`. */
function told(error: unknown): string {
  const reason = error instanceof Error ? error : new Error(String(error));
  const code = 'code' in reason && reason.code !== undefined ? `${String(reason.code)} ` : '';
  return code + (reason.message || reason.name);
}

/** Returns whether the whole transaction may succeed if it is retried immediately. */
export function isConflict(error: unknown): boolean {
  return error instanceof Overtaken || CONFLICT.test(told(error));
}

/** Returns whether the server can't answer at all. A replica can't until it takes over. */
export function isUnsupported(error: unknown): boolean {
  const text = told(error);
  return UNSUPPORTED.test(text) && !NOT_WRITABLE.test(text);
}

/** Returns whether another process has just created the same table. */
export function isCreatedTwice(error: unknown): boolean {
  return CREATED_TWICE.test(told(error)) || isConflict(error);
}

/** Returns whether a table is missing. */
export function isMissingTable(error: unknown): boolean {
  return MISSING_TABLE.test(told(error));
}

/** Returns what the operator must change; `undefined` if the error is none of the known refusals. */
export function refusalSubject(error: unknown): RefusalSubject | undefined {
  return refusalIn(told(error))?.subject;
}

/** Returns whether the server is a replica, or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return NOT_WRITABLE.test(told(error));
}

function refusalIn(text: string, remedies = LEASE_REMEDIES): Refusal | undefined {
  const own: readonly Refusal[] = [
    { subject: 'tables', matches: MISSING_TABLE, remedy: remedies.missingTables },
    { subject: 'rights', matches: MISSING_RIGHTS, remedy: remedies.missingRights },
  ];
  return [...own, ...REFUSALS].find(({ matches }) => matches.test(text));
}

/**
 * Turns an error of a call into one of this library. Unless it is a known refusal, the error counts as retryable: lost
 * connections, timeouts, deadlocks, servers that start, stop or are read-only.
 *
 * @param store the store's description
 * @param credentials the user to name, and the passwords to remove from the driver's error
 * @param remedies what to do about missing tables, rights and history
 */
export function toStoreError(
  store: string,
  error: unknown,
  { user, redaction }: Credentials = NO_CREDENTIALS,
  remedies: StoreRemedies = LEASE_REMEDIES,
): SnowflakeError {
  if (error instanceof SnowflakeError) return error;
  const cause = safeCopy(error, redaction);
  const said = told(cause).replace(/\.+$/, '');
  if (error instanceof NoHistory) return refusalOfHistory(store, cause, remedies.noHistory);
  const text = told(error);
  const refusal = refusalIn(text, remedies);
  if (refusal) {
    const as = user === undefined ? '' : ` (user "${user}")`;
    return new StoreRejectedError(`${store} refuses this client${as}: ${said}. ${refusal.remedy}`, cause);
  }
  const remedy = NOT_WRITABLE.test(text)
    ? '. This server is read-only: point the DataSource to the primary, not to a replica or a read balancer'
    : '';
  return new StoreUnavailableError(`${store} cannot serve now: ${said}${remedy}`, cause);
}

function refusalOfHistory(store: string, cause: ForeignError, remedy: string): StoreRejectedError {
  return new StoreRejectedError(
    `${store} cannot detect whether this database has lost commits: ${cause.message}. ${remedy}`,
    cause,
  );
}
