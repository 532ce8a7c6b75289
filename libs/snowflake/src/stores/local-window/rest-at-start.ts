import type { Clock } from '../../core/clock.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import type { Found, WindowFile } from './window-file.js';
import type { WindowRest } from './window-rest.js';

/** What the last process left, from the first look at it until a lease replaces it. */
export class RestAtStart {
  /** Taken from disk, and given out: it is this process's own, and asked for again when a reply was lost. */
  private taken: WindowRest | undefined;
  private readonly warned = new Set<string>();

  constructor(
    private readonly file: WindowFile,
    private readonly store: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Whether there is a rest that could be used. Changes nothing. */
  async isExpected(request: LeaseRequest, warn: (message: string) => void): Promise<boolean> {
    if (this.taken) return this.problemOf(this.taken, request) === undefined;
    const found = await this.file.look();
    const problem = this.problemIn(found, request);
    if (problem !== undefined) this.warnOnce(`${this.file.path} ${problem}. It is not used.`, warn);
    return found.kind === 'rest' && problem === undefined;
  }

  /** Takes the rest for good. @returns undefined when there is none any more */
  async take(request: LeaseRequest, warn: (message: string) => void): Promise<WindowRest | undefined> {
    if (this.taken) return this.taken;
    const rest = await this.takenFromDisk(warn);
    if (!rest || this.problemOf(rest, request) !== undefined) return undefined;
    this.taken = rest;
    this.warnOnce(
      `${this.store} gives no lease. Going on with the rest of the window that the last process left in ${this.file.path}: ` +
        `worker ID ${rest.workerId}, until ${new Date(rest.untilMs).toISOString()}.`,
      warn,
    );
    return rest;
  }

  /** The store has given a lease: the rest ends unused. */
  async drop(): Promise<void> {
    this.taken = undefined;
    try {
      const found = await this.file.look();
      const isOurs = found.kind === 'rest' ? found.rest.store === this.store : isDamaged(found);
      if (isOurs) await this.file.remove();
    } catch {
      // A rest that stays there is as good as before: nobody has used it, and its worker ID is taken until it ends.
    }
  }

  private async takenFromDisk(warn: (message: string) => void): Promise<WindowRest | undefined> {
    try {
      return await this.file.take();
    } catch (error) {
      this.warnOnce(
        `${this.file.path} could not be taken: ${(error as Error).message}. It is not used.`,
        warn,
      );
      return undefined;
    }
  }

  private problemIn(found: Found, request: LeaseRequest): string | undefined {
    if (found.kind === 'absent') return undefined;
    return found.kind === 'rest' ? this.problemOf(found.rest, request) : found.problem;
  }

  private problemOf(rest: WindowRest, request: LeaseRequest): string | undefined {
    const { firstWorkerId, workerCount, layout } = request;
    if (rest.store !== this.store) return `belongs to ${rest.store}, this process to ${this.store}`;
    if (rest.layout !== layout)
      return `was written under the layout "${rest.layout}", this process has "${layout}"`;
    const isInRange = rest.workerId >= firstWorkerId && rest.workerId < firstWorkerId + workerCount;
    if (!isInRange) return `is for worker ID ${rest.workerId}, which this process may not use`;
    const endMs = rest.untilMs;
    if (endMs <= Math.max(rest.lastUsedMs, this.clock.now())) {
      return `ended at ${new Date(endMs).toISOString()}`;
    }
    return undefined;
  }

  private warnOnce(message: string, warn: (message: string) => void): void {
    if (this.warned.has(message)) return;
    this.warned.add(message);
    warn(message);
  }
}

function isDamaged(found: Found): boolean {
  return found.kind === 'unusable' && !found.isForeign;
}
