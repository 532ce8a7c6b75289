import type { Clock } from '../../core/clock/clock.js';
import { settledWithin } from '../../lease/call-deadline.js';

/** A resource of a call. It must not be used after the call has been abandoned. */
export interface Abandonable {
  abandon(): void;
}

/** Bounds one call, and abandons the resource of the call when its time is over. */
export class CallBound {
  private over = false;
  private held?: Abandonable;

  constructor(
    private readonly clock: Clock,
    private readonly boundMs: number,
  ) {}

  /** Whether the call has been abandoned. */
  get isOver(): boolean {
    return this.over;
  }

  /** Sets what to abandon when the time is over, and replaces the previous resource. */
  hold(held: Abandonable): void {
    this.held = held;
  }

  /** Settles as `call` does, or rejects with `expired()` when the time is over. */
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
