import type { Clock } from '../../core/clock/clock.js';
import { instantText } from '../../core/layout/instant.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { type Found, isOwn, type WindowFile } from './window-file.js';
import type { WindowRest } from './window-rest.js';

const CHECK_FOLDER = 'Check that this process may write to its folder.';
const ONE_FILE_EACH = 'Give each ID maker its own file.';
const CHECK_CLOCK =
  'Check the clock of this host. If it is correct, windowMs was longer when the file was written, or the file is forged: delete it.';

type Warn = (message: string) => void;
type Unusable = Pick<Extract<Found, { kind: 'unusable' }>, 'problem'> & { readonly remedy?: string };

/** What the last process left, from the first look at it until a lease replaces it. */
export class RestAtStart {
  /** The rest that this process has consumed. A retry after a lost reply gets it again. */
  private consumed: WindowRest | undefined;
  private isOver = false;
  private readonly warned = new Set<string>();

  constructor(
    private readonly file: WindowFile,
    private readonly store: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns whether there is a usable rest. Changes nothing. */
  async isExpected(request: LeaseRequest, warn: Warn): Promise<boolean> {
    if (this.consumed) return problemOf(this.consumed, request, this.store, this.clock.now()) === undefined;
    return this.usable(await this.file.look(), request, warn) !== undefined;
  }

  /** Consumes the rest, so that no other process can. @returns undefined if it is gone or the store is closed */
  async consume(request: LeaseRequest, warn: Warn): Promise<WindowRest | undefined> {
    if (this.consumed) return this.consumed;
    if (this.isOver) return undefined;
    const rest = this.usable(await this.consumedFromDisk(), request, warn);
    if (!rest) return undefined;
    if (this.isOver) return this.putBack(rest, warn);
    this.consumed = rest;
    this.warnOnce(
      `${this.store} grants no lease. Continuing with the rest of the window that the last process left in ${this.file.path}: ` +
        `worker ID ${rest.workerId}, until ${new Date(rest.untilMs).toISOString()}.`,
      warn,
    );
    return rest;
  }

  /** Notes that the store is closed and no caller waits for a lease. */
  end(): void {
    this.isOver = true;
  }

  /** Removes the rest, because the store has granted a lease. */
  async drop(): Promise<void> {
    this.consumed = undefined;
    try {
      const found = await this.file.look();
      const mayRemove = found.kind === 'rest' ? found.rest.store === this.store : isOwn(found);
      if (mayRemove) await this.file.remove();
    } catch {
      // A rest that remains on disk is still valid: it is unused, and its worker ID is reserved until it ends.
    }
  }

  private async consumedFromDisk(): Promise<Found> {
    try {
      return await this.file.consume();
    } catch (error) {
      const problem = `could not be renamed and read (${(error as Error).message})`;
      return { kind: 'unusable', isForeign: false, problem, remedy: CHECK_FOLDER };
    }
  }

  /** Writes the unused rest to disk again. */
  private async putBack(rest: WindowRest, warn: Warn): Promise<undefined> {
    try {
      await this.file.publish(await this.file.draft(rest));
    } catch (error) {
      const problem = `could not be written again (${(error as Error).message})`;
      this.warnOnce(`${this.file.path} ${problem}. The rest of the window is lost.`, warn);
    }
  }

  private usable(found: Found, request: LeaseRequest, warn: Warn): WindowRest | undefined {
    if (found.kind === 'absent') return undefined;
    const { store, clock } = this;
    const unusable = found.kind === 'rest' ? problemOf(found.rest, request, store, clock.now()) : found;
    if (unusable) {
      const { problem, remedy = '' } = unusable;
      this.warnOnce(`${this.file.path} ${problem}. The file is not used. ${remedy}`.trimEnd(), warn);
    }
    return found.kind === 'rest' && !unusable ? found.rest : undefined;
  }

  private warnOnce(message: string, warn: Warn): void {
    if (this.warned.has(message)) return;
    this.warned.add(message);
    warn(message);
  }
}

/** Returns why a rest on disk doesn't fit this request. */
function problemOf(
  rest: WindowRest,
  { firstWorkerId, workerCount, layout, windowMs, maxSkewMs }: LeaseRequest,
  store: string,
  nowMs: number,
): Unusable | undefined {
  const { workerId, lastUsedMs, untilMs } = rest;
  if (rest.store !== store) {
    return { problem: `belongs to ${rest.store}, but this process uses ${store}`, remedy: ONE_FILE_EACH };
  }
  if (rest.layout !== layout) {
    return { problem: `was written under the layout "${rest.layout}", but this process has "${layout}"` };
  }
  const isInRange = workerId >= firstWorkerId && workerId < firstWorkerId + workerCount;
  if (!isInRange) return { problem: `is for worker ID ${workerId}, which this process may not use` };
  if (untilMs <= Math.max(lastUsedMs, nowMs)) return { problem: `ended at ${instantText(untilMs)}` };
  // No store can have granted more than a window that begins now by a clock that is maxSkew ahead.
  if (untilMs > nowMs + windowMs + maxSkewMs) {
    return {
      problem: `claims to end at ${instantText(untilMs)}, which is more than windowMs + maxSkewMs (${windowMs + maxSkewMs} ms) from now, ${instantText(nowMs)}`,
      remedy: CHECK_CLOCK,
    };
  }
  return undefined;
}
