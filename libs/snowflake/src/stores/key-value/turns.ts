import type { Clock } from '../../core/clock/clock.js';
import { settledWithin } from '../../lease/call-deadline.js';
import { deferred } from '../../lease/deferred.js';
import type { CallDeadline } from '../../lease/lease-store.js';

/** Lets tasks run one after the other, in the order in which they have come. */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /**
   * Runs a task when all before it have settled.
   *
   * @throws what `expired` returns, without running the task, if its turn has not come by the deadline
   */
  async take<Reply>(
    deadline: CallDeadline,
    task: () => Promise<Reply>,
    expired: () => Error,
  ): Promise<Reply> {
    const before = this.last;
    const turn = deferred();
    this.last = before.then(() => turn.promise);
    try {
      await settledWithin(this.clock, deadline.remainingMs(), before, expired);
      return await task();
    } finally {
      turn.resolve();
    }
  }
}
