import type { Clock } from '../core/clock/clock.js';
import { settledWithin } from './call-deadline.js';
import { deferred } from './deferred.js';

/** Whether a task renews or releases what a process holds, and so goes before those that request something new. */
export type Priority = 'holder' | 'newcomer';

/** How a task waits for its turn. */
export interface TurnOptions {
  /** @defaultValue `'newcomer'` */
  readonly priority?: Priority;
  /** How long it waits. Without a bound, until its turn comes. */
  readonly withinMs?: number;
  /** Returns the error of a task whose turn has not come by then. */
  readonly expired?: () => unknown;
}

/**
 * Lets tasks run one after the other: those of holders first, and otherwise in the order in which they have come. Keeps nothing of a task
 * that has settled.
 */
export class Turns {
  private isBusy = false;
  private readonly waiting: Readonly<Record<Priority, (() => void)[]>> = { holder: [], newcomer: [] };

  constructor(private readonly clock: Pick<Clock, 'schedule'>) {}

  /**
   * Runs a task when its turn comes.
   *
   * @throws what `expired` returns, without running the task, if its turn has not come within `withinMs`
   */
  async inTurn<Reply>(task: () => Promise<Reply>, options: TurnOptions = {}): Promise<Reply> {
    if (this.isBusy) await this.turn(options);
    this.isBusy = true;
    try {
      return await task();
    } finally {
      const next = this.waiting.holder.shift() ?? this.waiting.newcomer.shift();
      if (next) next();
      else this.isBusy = false;
    }
  }

  private turn({ priority = 'newcomer', withinMs, expired }: TurnOptions): Promise<void> {
    const line = this.waiting[priority];
    const turn = deferred();
    line.push(turn.resolve);
    if (withinMs === undefined) return turn.promise;
    return settledWithin(this.clock, withinMs, turn.promise, () => {
      const place = line.indexOf(turn.resolve);
      if (place >= 0) line.splice(place, 1);
      return expired?.();
    });
  }
}
