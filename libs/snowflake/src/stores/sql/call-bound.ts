import type { Clock } from '../../core/clock/clock.js';
import { settledWithin } from '../../lease/call-deadline.js';

/** What a call uses, and nobody may use once the call was given up. */
export interface Abandonable {
  abandon(): void;
}

/** Bounds one call, and abandons what the call uses when its time is over. */
export class CallBound {
  private over = false;
  private held?: Abandonable;

  constructor(
    private readonly clock: Clock,
    private readonly boundMs: number,
  ) {}

  /** Whether the call has been given up. */
  get isOver(): boolean {
    return this.over;
  }

  /** Notes what to abandon when the time is over, instead of what was noted before. */
  hold(held: Abandonable): void {
    this.held = held;
  }

  /** Passes `call` on, or rejects with `expired()` when the time is over. */
  race<Reply>(call: Promise<Reply>, expired: () => unknown): Promise<Reply> {
    return settledWithin(this.clock, this.boundMs, call, () => {
      this.over = true;
      this.held?.abandon();
      return expired();
    });
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.schedule(ms, resolve);
    });
  }
}
