import { type Clock, type IdGenerator, LeaseExhaustedError, StoppedError } from '../core/index.js';

/** Callers that wait until IDs can be issued. */
export class IssuingWait {
  private readonly waiting = new Set<() => void>();
  private isStopped = false;

  constructor(
    private readonly generator: IdGenerator,
    private readonly clock: Clock,
  ) {}

  /** Resolves when an ID can be issued again. @throws LeaseExhaustedError after `timeoutMs`, StoppedError */
  untilIssuing(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        if (!this.isStopped && !this.generator.canIssue) return;
        bound.cancel();
        this.waiting.delete(wake);
        if (this.isStopped) reject(new StoppedError());
        else resolve();
      };
      const bound = this.clock.schedule(timeoutMs, () => {
        this.waiting.delete(wake);
        const { currentWorkerId, windowEndMs } = this.generator;
        reject(new LeaseExhaustedError(currentWorkerId, new Date(windowEndMs)));
      });
      this.waiting.add(wake);
    });
  }

  /** Resumes the waiting callers. */
  wake(): void {
    for (const wake of this.waiting) wake();
  }

  /** Ends every wait. */
  stop(): void {
    this.isStopped = true;
    this.wake();
  }
}
