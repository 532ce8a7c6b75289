import { safeReason } from '../core/errors/foreign-error.js';
import { type Clock, SnowflakeError, StoreUnavailableError } from '../core/index.js';
import type { KeeperEnvironment } from './keeper-settings.js';
import { deadlineIn, GRACE_MS } from './call-deadline.js';
import type { CallDeadline, LeaseStore } from './lease-store.js';

/** After so many calls in a row without an answer the connection itself is taken for dead. */
const TIMEOUTS_BEFORE_RECONNECT = 2;

const RETRY_MIN_MS = 125;
const RETRY_SPREAD_MS = 125;
/** An answer that only an operator can change is asked for this much more seldom. */
const REJECTED_RETRY_FACTOR = 8;

/** Calls a lease store with a bound. A reply that comes after its bound is dropped, never used. */
export class StoreCaller {
  private timeoutsInARow = 0;

  constructor(
    private readonly store: LeaseStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls the store, with a deadline that ends in `timeoutMs`. Settles within that and {@link GRACE_MS}.
   *
   * @throws SnowflakeError whatever the store threw, or StoreUnavailableError if it did not answer
   */
  call<Reply>(operation: (deadline: CallDeadline) => Promise<Reply>, timeoutMs: number): Promise<Reply> {
    const deadline = deadlineIn(this.clock, timeoutMs);
    return new Promise<Reply>((resolve, reject) => {
      const bound = this.clock.schedule(timeoutMs + GRACE_MS, () => {
        reject(unanswered(this.store, deadline, this.noteTimeout()));
      });
      // Within a promise, since a store may throw before it returns one.
      new Promise<Reply>((answer) => answer(operation(deadline))).then(
        (reply) => {
          bound.cancel();
          this.timeoutsInARow = 0;
          resolve(reply);
        },
        (error: unknown) => {
          bound.cancel();
          reject(asSnowflakeError(error, this.store.description));
        },
      );
    });
  }

  /** @returns what went wrong with a new connection, as a further sentence; mostly empty */
  private noteTimeout(): string {
    this.timeoutsInARow++;
    if (this.timeoutsInARow < TIMEOUTS_BEFORE_RECONNECT) return '';
    this.timeoutsInARow = 0;
    try {
      // It may be async all the same: nobody waits for it, and its failure shows in the next call.
      const reconnecting: unknown = this.store.reconnect?.();
      Promise.resolve(reconnecting).catch(() => undefined);
      return '';
    } catch (error) {
      return ` It could not reconnect: ${safeReason(error)}.`;
    }
  }
}

/** Makes the error for a store that did not answer before its deadline. */
export function unanswered(
  { description }: Pick<LeaseStore, 'description'>,
  { timeoutMs }: CallDeadline,
  problem = '',
): StoreUnavailableError {
  return new StoreUnavailableError(`${description} did not answer within ${timeoutMs} ms.${problem}`);
}

/** Wraps whatever a store threw that is no typed error: a store that fails in a new way is a store that failed. */
export function asSnowflakeError(error: unknown, description: string): SnowflakeError {
  if (error instanceof SnowflakeError) return error;
  return new StoreUnavailableError(`${description} failed: ${safeReason(error)}`, error);
}

/** How long to wait before a failed call is made again: 125 to 250 ms, spread so that processes do not march in step. */
export function retryDelayMs(error: SnowflakeError, { random }: Pick<KeeperEnvironment, 'random'>): number {
  const delayMs = RETRY_MIN_MS + RETRY_SPREAD_MS * random();
  return Math.round(error.retryable ? delayMs : delayMs * REJECTED_RETRY_FACTOR);
}
