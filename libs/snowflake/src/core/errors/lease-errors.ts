import { seeDocs } from '../see-docs.js';
import { UNKNOWN_SECRETS } from './redaction.js';
import { asSentence } from './as-sentence.js';
import { layoutDifference, shortLayout } from './layout-difference.js';
import { showValue } from './show-value.js';
import { SnowflakeError } from './snowflake-error.js';

/** What to do while the lease store can't be reached. */
const RUNBOOK = seeDocs('operations/store-unreachable');

/**
 * The local clock differs from the store's by more than `maxSkewMs`, under `strictClock`.
 *
 * Repair the time service of the host, or set `strictClock: false` to let the maker correct the clock.
 */
export class ClockSkewError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_CLOCK_SKEW';

  /** @param skewMs store's clock minus local clock, in milliseconds */
  constructor(
    readonly skewMs: number,
    readonly maxSkewMs: number,
  ) {
    super(
      `The local clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} the lease store's clock, but ` +
        `strictClock allows only ${maxSkewMs} ms. Fix this host's time service, or set strictClock: false to let the ID maker ` +
        `add the difference.`,
    );
  }
}

/**
 * Other processes hold every worker ID of the namespace. A start waits `acquireTimeoutMs` for one to become free.
 *
 * See who holds them with `npx nestjs-snowflake-cli workers`, and run fewer processes. More worker bits need a new namespace.
 * The message says when the next worker ID becomes free.
 */
export class WorkerIdsExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_WORKER_IDS_EXHAUSTED';
  override readonly retryable = true;

  /** @param nextFreeInMs milliseconds until the first of the held windows ends, unless it is renewed */
  constructor(
    readonly workerCount: number,
    readonly nextFreeInMs: number,
    readonly namespace: string,
  ) {
    super(
      `All ${workerCount} worker IDs of ${namespace} are held. The next one becomes free in ${nextFreeInMs} ms at the earliest. ` +
        `Each running process holds one, and a process that crashed holds its own until its window ends. See who holds ` +
        `them with npx nestjs-snowflake-cli workers, and run fewer processes. More worker bits need a new namespace. ` +
        seeDocs('operations/upgrading'),
    );
  }
}

/**
 * The namespace belongs to another bit layout, epoch, tick or worker ID range.
 *
 * Use the same layout as the other processes, or give this one a namespace of its own.
 */
export class LayoutMismatchError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_LAYOUT_MISMATCH';
  /** The stored layout, cut if it is longer than any layout. */
  readonly storedLayout: string;

  constructor(
    readonly namespace: string,
    readonly ownLayout: string,
    storedLayout: string,
  ) {
    super(
      `${namespace} has another layout than this process: ${layoutDifference(storedLayout, ownLayout)}. ` +
        `IDs of two layouts can collide. Use the stored layout and epoch, or give this service its own namespace. ` +
        seeDocs('operations/upgrading'),
    );
    this.storedLayout = shortLayout(storedLayout);
  }
}

/**
 * The process got no lease within `acquireTimeoutMs`, or the store did not open. `cause` is the last error.
 *
 * Follow the reason in the message. If it is an unreachable store, don't restart the processes that run: they still make IDs,
 * and no process can start before the store answers. See "The lease store is unreachable" in the
 * documentation.
 */
export class AcquireTimeoutError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_ACQUIRE_TIMEOUT';
  override readonly retryable = true;

  constructor(
    readonly timeoutMs: number,
    readonly namespace: string,
    readonly reason: string,
    cause?: unknown,
  ) {
    super(
      `This process got no lease on a worker ID within acquireTimeoutMs (${timeoutMs} ms): ${asSentence(reason)} ` +
        `It makes no IDs. Don't restart the processes that already run. ${RUNBOOK}`,
      { cause },
    );
  }
}

/** Why a store claims no timestamps of the past: see {@link BackfillRefusedError}. */
export type BackfillRefusal = 'possible-loss' | 'full' | 'unsupported';

const BACKFILL = seeDocs('guides/backfill');
const BACKFILL_REFUSALS: Readonly<Record<BackfillRefusal, string>> = {
  'possible-loss':
    "has no earlier claim of an import, or its history has changed since: the server restarted, was replaced or restored. If no import's " +
    "claims can have been lost, pass possibleLoss: 'ignore' in this one call. If the assertion is wrong, IDs repeat.",
  full:
    'has no worker ID left for imports: the last ones of its range were leased by processes, or have served later instants. ' +
    'Import in a namespace with worker IDs that no process leases.',
  unsupported:
    'keeps no claims of the past. Import with a maker on Redis, a SQL database, etcd or ZooKeeper, and not through an ID service or with ' +
    'a fixed worker ID.',
};

/**
 * The store claims no timestamps for `ids.backfill()`. No ID was made.
 *
 * Follow the message: it states whether the store may have lost earlier claims, has no worker ID left for imports, or can't keep claims.
 */
export class BackfillRefusedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_BACKFILL_REFUSED';

  constructor(
    readonly namespace: string,
    readonly reason: BackfillRefusal,
  ) {
    super(`${namespace} ${BACKFILL_REFUSALS[reason]} No ID was made. ${BACKFILL}`);
  }
}

/**
 * The store did not answer, or is unavailable. The error appears as `status().lastError` and as a `cause`.
 *
 * Don't restart or roll out anything: running processes still make IDs, and the library retries until the store answers. If it
 * stays unreachable, see "The lease store is unreachable" in the documentation.
 */
export class StoreUnavailableError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_UNAVAILABLE';
  override readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * The store refuses this client permanently: a wrong password, missing rights, a wrong certificate or the wrong kind of server.
 *
 * Correct the connection or the rights that the message names.
 */
export class StoreRejectedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_REJECTED';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * The namespace holds data that this library did not write, or the store grants a window that ends later than any window
 * can. The library has changed nothing, and issues nothing from such a window.
 *
 * Find out who wrote it. Then stop all processes, delete the key or the rows, and start one window later with
 * `possibleLoss: 'wait'`.
 */
export class StoreCorruptError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_CORRUPT';
  /** The data found, without anything that looks like a password, because its origin is unknown. */
  readonly stored: string;

  /** @param message default: composed of the others */
  constructor(
    readonly namespace: string,
    readonly field: string,
    stored: string,
    message = `${namespace} holds an unreadable value in field ${showValue(field)}: ${showValue(stored)}. Nothing was changed. ` +
      `Find out who wrote it. Then stop all holders, delete everything stored under the namespace, and start them ` +
      `one window later with possibleLoss: 'wait'. ${seeDocs('operations/problems', 'The registry is unreadable')}`,
  ) {
    super(message);
    this.stored = UNKNOWN_SECRETS.clean(String(stored));
  }
}
