import { AcquireTimeoutError, type SnowflakeError, StoppedError } from '../core/index.js';
import type { KeeperEnvironment, KeeperSettings } from './keeper-settings.js';
import type { KeeperJournal } from './keeper-journal.js';
import type { LeaseHolding } from './lease-holding.js';
import { asSnowflakeError, retryDelayMs } from './store-caller.js';
import type { LeaseStore } from './lease-store.js';
import type { StoreUse } from './store-use.js';
import { WakeableSleep } from './wakeable-sleep.js';

/** Longest pause while the store grants nothing, since it may grant sooner than it foretold. */
const LONGEST_NAP_MS = 1000;

/** Opens the store and asks for a lease until it gets one, or `acquireTimeoutMs` is over. */
export class FirstLease {
  private readonly sleep: WakeableSleep;
  private abandoned = false;
  private expired = false;
  private hasOpened = false;
  /** What the store said last while it opened. */
  private lastWarning: string | undefined;
  private asking: Promise<void> | undefined;
  private giveUp: (reason: SnowflakeError) => void = () => undefined;

  constructor(
    private readonly store: LeaseStore,
    private readonly storeUse: StoreUse,
    private readonly holding: LeaseHolding,
    private readonly settings: KeeperSettings,
    private readonly environment: KeeperEnvironment,
    private readonly journal: KeeperJournal,
  ) {
    this.sleep = new WakeableSleep(environment.clock);
  }

  /** Whether the store is open. */
  get isOpen(): boolean {
    return this.hasOpened;
  }

  /** Resolves when a lease is held. Its errors are those of {@link LeaseKeeper.start}. */
  async acquire(): Promise<void> {
    const expiry = this.environment.clock.schedule(this.settings.acquireTimeoutMs, () => this.expire());
    // Without a connection nothing else keeps the process alive: it would end in the middle of its start, with code 0.
    expiry.keepProcessAlive?.();
    try {
      await this.orGivenUp(this.open());
      this.hasOpened = true;
      if (this.abandoned) throw new StoppedError();
      this.asking = this.askUntilGranted();
      await this.orGivenUp(this.asking);
    } finally {
      expiry.cancel();
    }
  }

  /** Makes {@link acquire} reject with StoppedError: at once while the store opens, otherwise after the call in flight. */
  abandon(): void {
    this.abandoned = true;
    this.sleep.wake();
    if (!this.hasOpened) this.giveUp(new StoppedError(`${this.store.description} was still opening`));
  }

  /** Resolves when no call is in flight any more, even if {@link acquire} has not waited for it. */
  async settled(): Promise<void> {
    await this.asking?.catch(() => undefined);
  }

  private open(): Promise<void> {
    return this.storeUse.open({
      callTimeoutMs: this.settings.callTimeoutMs,
      warn: (message) => {
        this.lastWarning = message;
        this.journal.listeners.warn(message);
      },
    });
  }

  /** Waits for `work`, or until {@link giveUp} is called. */
  private orGivenUp(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.giveUp = reject;
      work.then(resolve, reject);
    });
  }

  private expire(): void {
    this.expired = true;
    this.sleep.wake();
    this.giveUp(this.hasOpened ? this.notGranted() : this.notOpened());
  }

  private async askUntilGranted(): Promise<void> {
    for (;;) {
      const napMs = await this.tryOnce();
      if (this.abandoned) throw new StoppedError();
      if (napMs === undefined) return;
      if (this.expired) throw this.notGranted();
      await this.sleep.for(napMs);
      if (this.abandoned) throw new StoppedError();
      if (this.expired) throw this.notGranted();
    }
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

  private notGranted(): SnowflakeError {
    const { refusal, lastError } = this.journal;
    if (refusal?.reason === 'full' && !lastError) return refusal.error;
    const cause = lastError ?? refusal?.error;
    return this.timedOut(cause?.message ?? 'the store did not answer.', cause);
  }

  private notOpened(): SnowflakeError {
    const said = this.lastWarning === undefined ? '' : ` It said: ${this.lastWarning}`;
    return this.timedOut(
      `the store did not open within ${this.settings.acquireTimeoutMs} ms. Check the disk, the mount or the host that it ` +
        `waits for.${said}`,
    );
  }

  private timedOut(reason: string, cause?: SnowflakeError): SnowflakeError {
    return new AcquireTimeoutError(this.settings.acquireTimeoutMs, this.store.description, reason, cause);
  }
}
