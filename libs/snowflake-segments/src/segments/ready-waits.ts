import type { Clock, ScheduledTask } from 'nestjs-snowflake/core';

interface Wait {
  readonly count: number;
  readonly left: () => number;
  readonly alarm: ScheduledTask;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The callers that wait for numbers. Each gets its own: the numbers at hand are promised to one caller after the other. */
export class ReadyWaits {
  private readonly waits = new Set<Wait>();

  constructor(private readonly clock: Clock) {}

  /** How many numbers all of them wait for. */
  get wanted(): number {
    let wanted = 0;
    for (const { count } of this.waits) wanted += count;
    return wanted;
  }

  /**
   * Resolves as soon as `left()` reaches `count` beside what those before it wait for; rejects with `expired()` after
   * `timeoutMs`.
   */
  until(count: number, timeoutMs: number, left: () => number, expired: () => Error): Promise<void> {
    if (left() >= this.wanted + count) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const alarm = this.clock.schedule(timeoutMs, () => {
        this.waits.delete(wait);
        reject(expired());
      });
      alarm.keepProcessAlive?.();
      const wait: Wait = { count, left, alarm, resolve, reject };
      this.waits.add(wait);
    });
  }

  /** Ends the waits whose numbers have come, in their order. */
  settle(): void {
    let promised = 0;
    for (const wait of this.waits) {
      promised += wait.count;
      if (wait.left() < promised) return;
      this.end(wait).resolve();
    }
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
