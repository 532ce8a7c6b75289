import { seeDocs } from '../see-docs.js';
import { UNKNOWN_SECRETS } from './redaction.js';
import { asSentence } from './as-sentence.js';
import { layoutDifference, shortLayout } from './layout-difference.js';
import { showValue } from './show-value.js';
import { SnowflakeError } from './snowflake-error.js';

/** What to do while the lease store can't be reached. */
const RUNBOOK = seeDocs('operations/store-unreachable');

/**
 * The local clock differs from the store's by more than `maxSkewMs`. Thrown only under `strictClock: true`.
 *
 * Fix the host's time service, or set `strictClock: false`, so that the ID maker corrects its timestamps.
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
        `strictClock allows only ${maxSkewMs} ms, so this process doesn't start. Fix this host's time service, or set ` +
        `strictClock: false, so that the ID maker adds the difference.`,
    );
  }
}

/**
 * Other processes hold every worker ID of the namespace, and none became free within `acquireTimeoutMs`.
 *
 * Run fewer processes. `npx nestjs-snowflake-cli workers` shows who holds the worker IDs.
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
      `Other processes hold all ${workerCount} worker IDs of ${namespace}. The next one becomes free in ${nextFreeInMs} ms at the earliest. ` +
        `Each running process holds one, and a process that crashed keeps its worker ID until its window ends. Run fewer processes. ` +
        `npx nestjs-snowflake-cli workers shows who holds the worker IDs. More worker bits need a new namespace. ` +
        seeDocs('operations/upgrading'),
    );
  }
}

/**
 * The namespace has another bit layout, epoch, tick or range of worker IDs than this process.
 *
 * Use the layout of the other processes, or give this one its own namespace.
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
 * Follow the reason in the message. Don't restart running processes: they still generate IDs. See "The lease store is unreachable" in the
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
        `It generates no IDs. Don't restart processes that already run. ${RUNBOOK}`,
      { cause },
    );
  }
}

/** Why a store claims no timestamps of the past: see {@link BackfillRefusedError}. */
export type BackfillRefusal = 'possible-loss' | 'full' | 'unsupported' | 'outdated';

const BACKFILL = seeDocs('guides/backfill');
const BACKFILL_REFUSALS: Readonly<Record<BackfillRefusal, string>> = {
  'possible-loss':
    'may have lost claims of earlier imports: its server restarted, was replaced or restored, or nobody declared the namespace new with ' +
    "init. If no claim can have been lost, pass possibleLoss: 'ignore' in this one call. If the assertion is wrong, IDs repeat.",
  full:
    'has no worker ID left for imports: the last ones of its range were leased by processes, or have served later instants. ' +
    'Import in a namespace with worker IDs that no process leases.',
  unsupported:
    'keeps no claims of past timestamps. Import with an ID maker on Redis, a SQL database, etcd or ZooKeeper, or on an ID service with such ' +
    'a store, and not with a fixed worker ID.',
  outdated:
    "is served by an ID service that doesn't know backfill. Upgrade nestjs-snowflake-service, or import with an ID maker that reaches the " +
    'store directly.',
};

/**
 * The store can't claim past timestamps for `ids.backfill()`. No ID was generated.
 *
 * Follow the message, which states the reason.
 */
export class BackfillRefusedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_BACKFILL_REFUSED';

  constructor(
    readonly namespace: string,
    readonly reason: BackfillRefusal,
  ) {
    super(`${namespace} ${BACKFILL_REFUSALS[reason]} No ID was generated. ${BACKFILL}`);
  }
}

/**
 * The store did not answer, or is unavailable. You see this error as `status().lastError` and as a `cause`.
 *
 * Don't restart or roll out anything: the library retries. If the store stays unreachable, see "The lease store is unreachable" in the
 * documentation.
 */
export class StoreUnavailableError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_UNAVAILABLE';
  override readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * The store refuses this client: a wrong password, missing permissions, a wrong certificate or the wrong kind of server.
 *
 * Correct the connection or the permissions that the message names.
 */
export class StoreRejectedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_STORE_REJECTED';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * The namespace contains data that this library did not write, or a window that ends too late. The library changed nothing.
 *
 * Find out who wrote the data. Before you delete it, stop all processes, and start them one window later with `possibleLoss: 'wait'`.
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
    message = `${namespace} contains an unreadable value in field ${showValue(field)}: ${showValue(stored)}. Nothing was changed. ` +
      `Find out who wrote it. Then stop all processes, delete everything stored under the namespace, and start them ` +
      `one window later with possibleLoss: 'wait'. ${seeDocs('operations/problems', 'The registry is unreadable')}`,
  ) {
    super(message);
    this.stored = UNKNOWN_SECRETS.clean(String(stored));
  }
}
