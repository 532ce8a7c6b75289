import { safeCopy } from './foreign-error.js';
import { withoutUserInfo } from './redaction.js';
import { visible } from './show-value.js';

/** The `code` of an error of this library or of its sibling packages. Codes are stable across releases; messages are not. */
export type SnowflakeErrorCode =
  | 'SNOWFLAKE_INVALID_OPTION'
  | 'SNOWFLAKE_INVALID_ID'
  | 'SNOWFLAKE_TIMESTAMP_EXHAUSTED'
  | 'SNOWFLAKE_SEQUENCE_EXHAUSTED'
  | 'SNOWFLAKE_CLOCK_ROLLBACK'
  | 'SNOWFLAKE_CLOCK_SKEW'
  | 'SNOWFLAKE_NOT_READY'
  | 'SNOWFLAKE_STOPPED'
  | 'SNOWFLAKE_LEASE_EXHAUSTED'
  | 'SNOWFLAKE_WORKER_IDS_EXHAUSTED'
  | 'SNOWFLAKE_LAYOUT_MISMATCH'
  | 'SNOWFLAKE_ACQUIRE_TIMEOUT'
  | 'SNOWFLAKE_STORE_UNAVAILABLE'
  | 'SNOWFLAKE_STORE_REJECTED'
  | 'SNOWFLAKE_STORE_CORRUPT'
  | 'SNOWFLAKE_BACKFILL_REFUSED'
  | 'SNOWFLAKE_SEGMENT_EXHAUSTED'
  | 'SNOWFLAKE_UNKNOWN_TAG'
  | 'SNOWFLAKE_HISTORY_CHANGED'
  | 'SNOWFLAKE_DUPLICATE_INSTANCE'
  | 'SNOWFLAKE_UNKNOWN_INSTANCE'
  | 'SNOWFLAKE_MISSING_SUBSCRIBER'
  | 'SNOWFLAKE_UNBOUND_MAKER'
  | 'SNOWFLAKE_LOSSY_DRIVER'
  | 'SNOWFLAKE_COLUMN_TYPE'
  | 'SNOWFLAKE_COLUMN_DROP'
  // The sibling packages have their own codes. The intersection keeps the names above in an editor's list.
  | (`SNOWFLAKE_${string}` & {});

/** Marks the errors of every copy and version of the library. */
const BRAND = Symbol.for('nestjs-snowflake:error');

/**
 * Base class of every error that the library throws. Match on {@link code}; show `message` to people. Contains no
 * secrets: a foreign `cause` is copied with its name, code, message and stack only, without the secrets in them.
 */
export abstract class SnowflakeError extends Error {
  /** Stable, machine-readable identifier of the error. */
  abstract readonly code: SnowflakeErrorCode;
  /** Whether the same call can succeed later, without any other change. Default `false`. */
  readonly retryable: boolean = false;
  /** A sentence for the client whose input caused the error, without internals; `undefined` if no client can have caused it. */
  readonly clientFault: string | undefined = undefined;

  /** Also recognizes the errors of another copy of the library in the process, by the names of their classes. @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false;
    for (let each: object | null = value; each !== null && BRAND in each; each = Object.getPrototypeOf(each))
      if (Object.hasOwn(each, 'constructor') && each.constructor.name === this.name) return true;
    return false;
  }

  /** @internal */
  get [BRAND](): true {
    return true;
  }

  constructor(message: string, { cause }: ErrorOptions = {}) {
    super(
      visible(withoutUserInfo(String(message))),
      cause === undefined ? undefined : { cause: asShown(cause) },
    );
    this.name = new.target.name;
  }
}

function asShown(cause: unknown): unknown {
  return cause instanceof SnowflakeError ? cause : safeCopy(cause);
}
