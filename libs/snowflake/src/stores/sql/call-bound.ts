import type { Clock } from '../../core/clock.js';

/** The time that one call may take. */
export class CallBound {
  private over = false;

  constructor(
    private readonly clock: Clock,
    private readonly boundMs: number,
  ) {}

  /** Whether the call has been given up. */
  get isOver(): boolean {
    return this.over;
  }

  /** Passes `call` on, or rejects with `expired()` when the time is over. */
  race<Reply>(call: Promise<Reply>, expired: () => unknown): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const alarm = this.clock.schedule(this.boundMs, () => {
        this.over = true;
        reject(expired());
      });
      call.then(resolve, reject).finally(() => alarm.cancel());
    });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.schedule(ms, resolve);
    });
  }
}
