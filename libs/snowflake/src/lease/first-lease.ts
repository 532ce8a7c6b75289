import { AcquireTimeoutError, type SnowflakeError, StoppedError } from '../core/index.js';
import type { KeeperEnvironment, KeeperSettings } from './keeper-settings.js';
import type { KeeperJournal } from './keeper-journal.js';
import type { LeaseHolding } from './lease-holding.js';
import type { LeaseStore } from './lease-store.js';
import { asSnowflakeError, retryDelayMs } from './store-caller.js';
import { WakeableSleep } from './wakeable-sleep.js';

/** Longest nap while the store grants nothing: how late it is noticed that things got better sooner than foretold. */
const LONGEST_NAP_MS = 1000;

/** The start: asks for a lease until there is one, or the time for it is over. */
export class FirstLease {
  private readonly sleep: WakeableSleep;
  private abandoned = false;
  private expired = false;

  constructor(
    private readonly store: LeaseStore,
    private readonly holding: LeaseHolding,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    private readonly journal: KeeperJournal,
  ) {
    this.sleep = new WakeableSleep(environment.clock);
  }

  /** Resolves when a lease is held. Its errors are those of {@link LeaseKeeper.start}. */
  async acquire(): Promise<void> {
    const expiry = this.environment.clock.schedule(this.settings.acquireTimeoutMs, () => {
      this.expired = true;
      this.sleep.wake();
    });
    // A connection that has ended for good leaves nothing else that does: the process would end with code 0, in the
    // middle of its start, as if all were well.
    expiry.keepProcessAlive?.();
    try {
      for (;;) {
        const napMs = await this.tryOnce();
        if (this.abandoned) throw new StoppedError();
        if (napMs === undefined) return;
        if (this.expired) throw this.timedOut();
        await this.sleep.for(napMs);
        if (this.abandoned) throw new StoppedError();
      }
    } finally {
      expiry.cancel();
    }
  }

  /** Makes {@link acquire} reject with StoppedError. */
  abandon(): void {
    this.abandoned = true;
    this.sleep.wake();
  }

  /** @returns how long to wait before the next try; undefined when a lease is held */
  private async tryOnce(): Promise<number | undefined> {
    try {
      const refusal = await this.holding.acquire('start');
      if (refusal === undefined) {
        this.journal.succeeded();
        return undefined;
      }
      this.journal.waiting(refusal);
      const longestMs = LONGEST_NAP_MS * (0.5 + this.environment.random() / 2);
      return Math.max(1, Math.ceil(Math.min(refusal.waitMs, longestMs)));
    } catch (thrown) {
      const error = asSnowflakeError(thrown, this.store.description);
      if (!error.retryable) throw error;
      this.journal.failed(error);
      return retryDelayMs(error, this.environment);
    }
  }

  private timedOut(): SnowflakeError {
    const { refusal, lastError } = this.journal;
    if (refusal?.reason === 'full' && !lastError) return refusal.error;
    const cause = lastError ?? refusal?.error;
    const reason = cause?.message ?? 'the store gave no answer.';
    return new AcquireTimeoutError(this.settings.acquireTimeoutMs, this.store.description, reason, cause);
  }
}
