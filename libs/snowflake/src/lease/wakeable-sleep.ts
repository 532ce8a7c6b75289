import type { Clock } from '../core/index.js';

/** A pause that can be cut short. One at a time. */
export class WakeableSleep {
  private endPause: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  /** Resolves after `ms` milliseconds, or as soon as {@link wake} is called. */
  for(ms: number): Promise<void> {
    this.wake();
    return new Promise((resolve) => {
      const timer = this.clock.schedule(ms, () => this.wake());
      this.endPause = () => {
        timer.cancel();
        this.endPause = undefined;
        resolve();
      };
    });
  }

  wake(): void {
    this.endPause?.();
  }
}
