import type { Clock } from '../core/clock/clock.js';
import type { IdGenerator } from '../core/generator/generator.js';
import { StoppedError } from '../core/errors/issuing-errors.js';
import { settledWithin } from '../kit/call-deadline.js';
import { type Deferred, deferred } from '../kit/deferred.js';

/** Callers that wait until IDs can be issued. */
export class IssuingWait {
  private readonly waiting = new Set<Deferred>();

  constructor(
    private readonly generator: IdGenerator,
    private readonly clock: Clock,
  ) {}

  /** Resolves when an ID can be issued. @throws StoppedError, and what `late` returns after `timeoutMs` */
  async untilIssuing(timeoutMs: number, late: () => Error): Promise<void> {
    const wait = deferred();
    this.waiting.add(wait);
    try {
      await settledWithin(this.clock, timeoutMs, wait.promise, late);
    } finally {
      this.waiting.delete(wait);
    }
  }

  /** Resumes the callers if IDs can be issued. */
  wake(): void {
    if (!this.generator.canIssue) return;
    for (const wait of this.waiting) wait.resolve();
  }

  /** Ends every wait: no more IDs are issued. */
  stop(): void {
    for (const wait of this.waiting) wait.reject(new StoppedError());
  }
}
