import type { Clock } from '../../core/clock.js';
import { settledWithin } from '../../lease/call-deadline.js';

/** What a call uses and nobody may use after it, once the call has been given up. */
export interface Abandonable {
  abandon(): void;
}

/** The time that one call may take, and what the call uses meanwhile. */
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

  /** Has `held` abandoned when the time is over, instead of what was held before. */
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
