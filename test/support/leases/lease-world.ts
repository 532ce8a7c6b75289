import { VirtualClock } from '../../../libs/snowflake/src/stores/port/virtual-clock.js';
import { atOnce } from '../at-once.js';
import { type HolderOptions, LeaseHolder } from './lease-holder.js';
import { UnreliableStore } from './unreliable-store.js';

/** Processes in virtual time that lease worker IDs of one store. Each has a clock, and so has the store. */
export class LeaseWorld {
  readonly store = new UnreliableStore();
  readonly holders: LeaseHolder[] = [];

  /** @param defaults options of all processes */
  constructor(private readonly defaults: HolderOptions = {}) {}

  /** Adds a process that has not started. */
  holder(options?: HolderOptions): LeaseHolder {
    const name = String(this.holders.length);
    const holder = new LeaseHolder(this.store, new VirtualClock(), { name, ...this.defaults, ...options });
    this.holders.push(holder);
    return holder;
  }

  /** Adds a process, which holds a lease. */
  async started(options?: HolderOptions): Promise<LeaseHolder> {
    const holder = this.holder(options);
    const start = holder.keeper.start();
    await this.advance(100);
    await atOnce(start);
    return holder;
  }

  /** Lets time elapse everywhere, in steps small enough for replies to arrive in time. */
  async advance(ms: number, stepMs = 50): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      const step = Math.min(stepMs, left);
      this.store.clock.freeze(step);
      for (const { clock } of this.holders) await clock.advance(step);
    }
  }

  /** Resolves when a request is on its way to the store, for which no time has to pass. */
  async untilRequested(): Promise<void> {
    for (let turn = 0; turn < 100 && this.store.requests.length === 0; turn++) await Promise.resolve();
    expect(this.store.requests).not.toEqual([]);
  }

  /** What the store has of a worker ID. */
  row(workerId: number): string | undefined {
    return this.store.registry.fields.get(String(workerId));
  }

  /** How far the timestamp of the next ID is ahead of the true time, in milliseconds. Negative if it lags. */
  errorMs(holder: LeaseHolder): number {
    return holder.issue().timestampMs - this.store.clock.now();
  }

  expectAllDistinct(): void {
    const ids = this.holders.flatMap((holder) => holder.ids);
    expect(new Set(ids).size).toBe(ids.length);
  }
}
