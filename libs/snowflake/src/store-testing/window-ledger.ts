/** A stretch of timestamps of one worker ID, `(fromMs, untilMs]`. */
export interface GrantedWindow {
  readonly workerId: number;
  readonly fencingToken: string;
  readonly fromMs: number;
  untilMs: number;
}

/** Records all grants, and finds timestamps that two holders could both use. */
export class WindowLedger {
  private readonly windows: GrantedWindow[] = [];

  /** Records a grant. A grant repeated after a lost reply is the same window. */
  grant(window: GrantedWindow): void {
    const same = this.find(window.workerId, window.fencingToken);
    if (same) same.untilMs = Math.max(same.untilMs, window.untilMs);
    else this.windows.push({ ...window });
  }

  /** Records that a window was extended. */
  extend(workerId: number, fencingToken: string, untilMs: number): void {
    const window = this.find(workerId, fencingToken);
    if (!window)
      throw new Error(`Worker ID ${workerId} was extended under ${fencingToken}, which was never granted`);
    window.untilMs = Math.max(window.untilMs, untilMs);
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
    return this.windows.find(
      (window) => window.workerId === workerId && window.fencingToken === fencingToken,
    );
  }
}

function show({ fencingToken, fromMs, untilMs }: GrantedWindow): string {
  return `(${fromMs}, ${untilMs}] of ${fencingToken}`;
}
