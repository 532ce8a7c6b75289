import { safeReason } from '../core/errors/foreign-error.js';
import type { Clock, ScheduledTask } from '../core/clock/clock.js';
import { SnowflakeError } from '../core/errors/snowflake-error.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import { deadlineIn, GRACE_MS, type RunningDeadline, settledWithin } from '../kit/call-deadline.js';
import type { CallDeadline, LeaseStore, StoreSettings } from './lease-store.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { memoryOf } from '../core/process-memory.js';

/** Calls in a row without an answer after which the connection counts as dead. */
const TIMEOUTS_BEFORE_RECONNECT = 2;

/** The part of a store that its caller needs, besides what it calls. */
export type CalledStore = Pick<LeaseStore, 'description' | 'reconnect'>;

/** Calls a store within a bound. Drops a reply that comes later. */
export class StoreCaller {
  private timeoutsInARow = 0;

  constructor(
    private readonly store: CalledStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls the store, with a deadline that ends in `timeoutMs`. Settles within that and {@link GRACE_MS}.
   *
   * @param queueMs how long the call may take while the store says that it waits for others
   * @throws SnowflakeError whatever the store threw, or StoreUnavailableError if it did not answer
   */
  call<Reply>(
    operation: (deadline: RunningDeadline) => Promise<Reply>,
    timeoutMs: number,
    queueMs = timeoutMs,
  ): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      let bound: ScheduledTask | undefined;
      let isOver = false;
      const end = (): void => {
        isOver = true;
        bound?.cancel();
      };
      const boundIn = (leftMs: number): void => {
        if (isOver) return;
        bound?.cancel();
        bound = this.clock.schedule(leftMs + GRACE_MS, () => {
          end();
          reject(unanswered(this.store, deadline, this.noteTimeout()));
        });
        bound.keepProcessAlive?.();
      };
      const deadline = deadlineIn(this.clock, timeoutMs, queueMs, boundIn);
      boundIn(timeoutMs);
      // The call is made in a promise, because a store may throw before it returns one.
      new Promise<Reply>((answer) => answer(operation(deadline))).then(
        (reply) => {
          end();
          this.timeoutsInARow = 0;
          resolve(reply);
        },
        (error: unknown) => {
          end();
          reject(asSnowflakeError(error, this.store.description));
        },
      );
    });
  }

  /** @returns a further sentence if the store could not reconnect; otherwise an empty string */
  private noteTimeout(): string {
    this.timeoutsInARow++;
    if (this.timeoutsInARow < TIMEOUTS_BEFORE_RECONNECT) return '';
    this.timeoutsInARow = 0;
    try {
      // A custom store may be async here. No caller waits for it, and its failure appears in the next call.
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

/** Wraps an error of unknown type, since a store that fails in an unknown way has failed too. */
export function asSnowflakeError(error: unknown, description: string): SnowflakeError {
  if (error instanceof SnowflakeError) return error;
  return new StoreUnavailableError(`${description} failed: ${safeReason(error)}`, error);
}

/** Longer than a store of this library takes to leave a server that hangs. */
export const CLOSE_TIMEOUT_MS = 500;

/** The part of a store that its user opens and closes. */
export interface OwnedStore extends Pick<LeaseStore, 'description' | 'close'> {
  readonly isShareable?: boolean;
  open?(settings: StoreSettings): void | Promise<void>;
}

/** Whether an ID maker uses the store. */
const occupancyOf = (store: object): { isOccupied: boolean } =>
  memoryOf(store, 'occupancy of stores', () => ({ isOccupied: false }));

/**
 * Notes that an ID maker uses a store from now on. A store has one connection, which its user opens and closes, and some
 * stores remember what their user holds. ID makers can share a store that has nothing to open, or says so.
 *
 * @throws InvalidOptionError if another ID maker uses it
 */
export function occupyStore(store: OwnedStore): void {
  if (!store.open || store.isShareable) return;
  const occupancy = occupancyOf(store);
  if (occupancy.isOccupied) {
    throw new InvalidOptionError(
      'store',
      store.description,
      'is in use by another ID maker',
      'Create a separate store for each ID maker, e.g. in useFactory of forRootAsync.',
    );
  }
  occupancy.isOccupied = true;
}

/**
 * Closes a store that was occupied, and lets others use it. If it does not close in time, it keeps closing, and others can't
 * use it until it has closed. Bounded; never rejects.
 */
export async function closeStore(
  store: OwnedStore,
  clock: Clock,
  warn: (problem: string) => void,
): Promise<void> {
  const closing = closed(store, warn).then(() => {
    occupancyOf(store).isOccupied = false;
  });
  await settledWithin(clock, CLOSE_TIMEOUT_MS, closing, () => undefined).catch(() =>
    warn(`did not close within ${CLOSE_TIMEOUT_MS} ms. It cannot be used again until it has closed.`),
  );
}

async function closed(store: OwnedStore, warn: (problem: string) => void): Promise<void> {
  try {
    await store.close();
  } catch (error) {
    warn(`could not be closed: ${safeReason(error)}`);
  }
}
