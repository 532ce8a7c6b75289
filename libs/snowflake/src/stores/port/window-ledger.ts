import type { LeaseReply } from '../../lease/lease-store.js';

/** A stretch of timestamps of one worker ID, `(fromMs, untilMs]`. */
export interface GrantedWindow {
  readonly workerId: number;
  /** The present fencing token. */
  fencingToken: string;
  readonly fromMs: number;
  untilMs: number;
}

type Kept = Pick<Extract<LeaseReply, { outcome: 'kept' }>, 'fencingToken' | 'untilMs'>;

/** Records all grants, and finds timestamps that two holders could both use. */
export class WindowLedger {
  private readonly windows: GrantedWindow[] = [];
  /** The window of each fencing token that was ever returned. */
  private readonly tokens = new Map<string, GrantedWindow>();

  /** Records a grant. A grant repeated after a lost reply is the same window. */
  grant(window: GrantedWindow): void {
    const same = this.find(window.workerId, window.fencingToken);
    if (same) {
      same.untilMs = Math.max(same.untilMs, window.untilMs);
      return;
    }
    const granted = { ...window };
    this.windows.push(granted);
    this.tokens.set(this.keyOf(window.workerId, window.fencingToken), granted);
  }

  /** Records that a window was extended for a holder that showed `shown`, and what its fencing token is now. */
  extend(workerId: number, shown: string, { fencingToken, untilMs }: Kept): void {
    const window = this.find(workerId, shown);
    if (!window)
      throw new Error(`Worker ID ${workerId} was extended under ${shown}, which was never granted`);
    window.untilMs = Math.max(window.untilMs, untilMs);
    window.fencingToken = fencingToken;
    this.tokens.set(this.keyOf(workerId, fencingToken), window);
  }

  /** Records that a holder used nothing above `lastUsedMs` and never will. */
  release(workerId: number, fencingToken: string, lastUsedMs: number): void {
    const window = this.find(workerId, fencingToken);
    if (window) window.untilMs = lastUsedMs;
  }

  /** Describes each pair of windows of one worker ID that share a timestamp. Empty if there is none. */
  overlaps(): string[] {
    const sorted = [...this.windows].sort((a, b) => a.workerId - b.workerId || a.fromMs - b.fromMs);
    return sorted.flatMap((window, index) =>
      sorted
        .slice(index + 1)
        .filter((later) => later.workerId === window.workerId && later.fromMs < window.untilMs)
        .filter((later) => later.untilMs > later.fromMs)
        .map((later) => `worker ID ${window.workerId}: ${show(window)} and ${show(later)}`),
    );
  }

  private find(workerId: number, fencingToken: string): GrantedWindow | undefined {
    return this.tokens.get(this.keyOf(workerId, fencingToken));
  }

  private keyOf(workerId: number, fencingToken: string): string {
    return `${workerId} ${fencingToken}`;
  }
}

function show({ fencingToken, fromMs, untilMs }: GrantedWindow): string {
  return `(${fromMs}, ${untilMs}] of ${fencingToken}`;
}
