import type { Clock, ScheduledTask } from 'nestjs-snowflake/core';

interface Wait {
  readonly count: number;
  readonly alarm: ScheduledTask;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The numbers of a source. */
interface Supply {
  readonly left: number;
  /** Numbers issued so far. */
  readonly issued: number;
}

/**
 * The callers that wait for numbers. Each gets its own: what it has waited for is reserved until the event loop's next turn, by
 * which it has used it.
 */
export class ReadyWaits {
  private readonly waits = new Set<Wait>();
  /** How many numbers are issued once every caller has used what is reserved for it. */
  private issuedWithReserved = 0;
  private lapse: ScheduledTask | undefined;

  /** @param onLapse is called when numbers that were reserved may go to those who still wait */
  constructor(
    private readonly clock: Clock,
    private readonly supply: Supply,
    private readonly onLapse: () => void,
  ) {}

  /** How many numbers are reserved or waited for. */
  get wanted(): number {
    let wanted = this.reserved;
    for (const { count } of this.waits) wanted += count;
    return wanted;
  }

  /** Resolves as soon as `count` numbers can be reserved; rejects with `expired()` after `timeoutMs`. */
  until(count: number, timeoutMs: number, expired: () => Error): Promise<void> {
    if (this.supply.left >= this.wanted + count) {
      this.reserve(count);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const alarm = this.clock.schedule(timeoutMs, () => {
        this.waits.delete(wait);
        reject(expired());
      });
      alarm.keepProcessAlive?.();
      const wait: Wait = { count, alarm, resolve, reject };
      this.waits.add(wait);
    });
  }

  /** Ends the waits whose numbers have come, in their order. */
  settle(): void {
    for (const wait of this.waits) {
      if (this.supply.left < this.reserved + wait.count) return;
      this.reserve(wait.count);
      this.end(wait).resolve();
    }
  }

  /** Ends all waits with an error. */
  fail(error: Error): void {
    for (const wait of this.waits) this.end(wait).reject(error);
  }

  private get reserved(): number {
    return Math.max(0, this.issuedWithReserved - this.supply.issued);
  }

  private reserve(count: number): void {
    this.issuedWithReserved = Math.max(this.issuedWithReserved, this.supply.issued) + count;
    this.lapse ??= this.clock.schedule(0, () => {
      this.lapse = undefined;
      this.issuedWithReserved = 0;
      if (this.waits.size > 0) this.onLapse();
    });
  }

  private end(wait: Wait): Wait {
    this.waits.delete(wait);
    wait.alarm.cancel();
    return wait;
  }
}
