import type { Clock } from '../core/clock/clock.js';
import { settledWithin } from './call-deadline.js';
import { deferred } from './deferred.js';

/** How long a task waits for its turn. */
export interface TurnBound {
  readonly withinMs: number;
  /** Returns the error of a task whose turn has not come by then. */
  readonly expired: () => Error;
}

/** Lets tasks run one after the other, in the order in which they have come. Keeps nothing of a task that has settled. */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /**
   * Runs a task when all before it have settled.
   *
   * @throws the error of `bound`, without running the task, if its turn has not come within that time
   */
  async take<Reply>(task: () => Promise<Reply>, bound?: TurnBound): Promise<Reply> {
    const before = this.last;
    const turn = deferred();
    this.last = before.then(() => turn.promise);
    try {
      await (bound ? settledWithin(this.clock, bound.withinMs, before, bound.expired) : before);
      return await task();
    } finally {
      turn.resolve();
    }
  }
}
