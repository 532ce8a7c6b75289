import { type Clock, InvalidOptionError, memoryOf } from '../core/index.js';

/** Everything that decides, besides the timestamp, whether two fixed worker IDs can make equal IDs. */
export interface FixedWorkerIdSpace {
  readonly layout: string;
  readonly datacenterId: number;
}

/** The fixed worker IDs of one clock: makers on different clocks live in different times, as in a simulation. */
class FixedWorkerIds {
  readonly inUse = new Set<string>();
  readonly lastUsedMs = new Map<string, number>();
}

/**
 * The use of a fixed worker ID by one ID maker. No lease keeps others of this process from it, and none tells the next maker
 * which timestamps are used, so the process remembers both.
 */
export class FixedWorkerIdUse {
  private readonly known: FixedWorkerIds;
  private key: string | undefined;

  constructor(
    clock: Clock,
    private readonly space: FixedWorkerIdSpace,
  ) {
    this.known = memoryOf(clock, FixedWorkerIds);
  }

  /**
   * Keeps other ID makers from the worker ID. Returns the time after which it may issue: `fromMs`, or the last timestamp that
   * this process has used if that is later.
   *
   * @throws InvalidOptionError if another ID maker uses it
   */
  begin(workerId: number, fromMs: number): number {
    const { layout, datacenterId } = this.space;
    const key = `${layout} ${datacenterId} ${workerId}`;
    if (this.known.inUse.has(key)) throw inUse(workerId);
    this.known.inUse.add(key);
    this.key = key;
    return Math.max(fromMs, this.known.lastUsedMs.get(key) ?? fromMs);
  }

  /** Lets others have the worker ID, after the last timestamp that an ID may have used. Later calls change nothing. */
  end(lastUsedMs: number): void {
    const { key, known } = this;
    if (key === undefined) return;
    this.key = undefined;
    known.inUse.delete(key);
    known.lastUsedMs.set(key, Math.max(lastUsedMs, known.lastUsedMs.get(key) ?? lastUsedMs));
  }
}

function inUse(workerId: number): InvalidOptionError {
  return new InvalidOptionError(
    'workerId',
    workerId,
    'is in use by another ID maker of this process, which would make the same IDs',
    'Stop that maker first (in a test: await app.close()), or give each maker its own worker ID.',
  );
}
