import type { Clock, ScheduledTask } from '../core/index.js';

interface Wait {
  readonly count: number;
  readonly left: () => number;
  readonly alarm: ScheduledTask;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The callers that wait for numbers. */
export class ReadyWaits {
  private readonly waits = new Set<Wait>();

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  /** The largest number of numbers that somebody waits for. */
  get mostWanted(): number {
    return Math.max(0, ...[...this.waits].map(({ count }) => count));
  }

  /** Resolves as soon as `left()` reaches `count`; rejects with `expired()` after the timeout. */
  until(count: number, left: () => number, expired: () => Error): Promise<void> {
    if (left() >= count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const alarm = this.clock.schedule(this.timeoutMs, () => {
        this.waits.delete(wait);
        reject(expired());
      });
      alarm.keepProcessAlive?.();
      const wait: Wait = { count, left, alarm, resolve, reject };
      this.waits.add(wait);
    });
  }

  /** Ends the waits whose numbers have come. */
  settle(): void {
    for (const wait of this.waits) if (wait.left() >= wait.count) this.end(wait).resolve();
  }

  /** Ends all waits with an error. */
  fail(error: Error): void {
    for (const wait of this.waits) this.end(wait).reject(error);
  }

  private end(wait: Wait): Wait {
    this.waits.delete(wait);
    wait.alarm.cancel();
    return wait;
  }
}
