import type { Clock } from '../core/clock/clock.js';
import { systemClock } from '../core/clock/system-clock.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { memoryOf, sharedInProcess } from '../core/process-memory.js';
import type { KeeperSettings } from './lease-options.js';

/** The use of a worker ID by one ID maker. */
export interface WorkerIdUse {
  /** Returns the time after which it may issue. @throws InvalidOptionError if another ID maker uses the worker ID */
  begin(workerId: number, fromMs: number, storeNowMs: number): number;
  /** Ends what {@link begin} has begun, after the last timestamp that an ID may have used. */
  end(workerId: number, lastUsedMs: number): void;
}

/** The use of a worker ID that a store has leased: the store keeps others from it. */
export const LEASED_USE: WorkerIdUse = { begin: (_workerId, fromMs) => fromMs, end: () => undefined };

/** Each copy of the library has a `systemClock`, but they show one time. */
const SYSTEM_TIME = sharedInProcess('system time', () => ({}));

/** The fixed worker IDs of one clock: makers on different clocks live in different times, as in a simulation. */
class FixedWorkerIds {
  readonly inUse = new Set<string>();
  readonly lastUsedMs = new Map<string, number>();
}

/**
 * The use of a fixed worker ID by one ID maker. No lease keeps others of this process from it, and none tells the next maker
 * which timestamps are used, so the process remembers both.
 */
export class FixedWorkerIdUse implements WorkerIdUse {
  private readonly known: FixedWorkerIds;

  /** @param fingerprint of the layout: with the datacenter ID, it decides whether two fixed worker IDs can lead to equal IDs */
  constructor(
    clock: Clock,
    private readonly fingerprint: string,
    private readonly settings: Pick<KeeperSettings, 'datacenterId' | 'maxSkewMs'>,
    private readonly warn: (message: string) => void,
  ) {
    this.known = memoryOf(
      clock === systemClock ? SYSTEM_TIME : clock,
      'fixed worker IDs',
      () => new FixedWorkerIds(),
    );
  }

  /**
   * Keeps other ID makers from the worker ID. Returns the time after which it may issue: `fromMs`, or the last timestamp that
   * this process has used if that is later.
   *
   * @throws InvalidOptionError if another ID maker uses it
   */
  begin(workerId: number, fromMs: number, storeNowMs: number): number {
    const key = this.keyOf(workerId);
    if (this.known.inUse.has(key)) throw inUse(workerId);
    this.known.inUse.add(key);
    const startMs = Math.max(fromMs, this.known.lastUsedMs.get(key) ?? fromMs);
    if (startMs - storeNowMs > this.settings.maxSkewMs) {
      this.warn(
        `Worker ID ${workerId} continues after ${new Date(startMs).toISOString()}, which this process has used already. ` +
          `The clock has stepped back to ${new Date(storeNowMs).toISOString()}.`,
      );
    }
    return startMs;
  }

  /** Lets others have the worker ID that {@link begin} has kept from them, after the last timestamp that an ID may have used. */
  end(workerId: number, lastUsedMs: number): void {
    const { known } = this;
    const key = this.keyOf(workerId);
    known.inUse.delete(key);
    known.lastUsedMs.set(key, Math.max(lastUsedMs, known.lastUsedMs.get(key) ?? lastUsedMs));
  }

  private keyOf(workerId: number): string {
    return `${this.fingerprint} ${this.settings.datacenterId} ${workerId}`;
  }
}

function inUse(workerId: number): InvalidOptionError {
  return new InvalidOptionError(
    'workerId',
    workerId,
    'is in use by another ID maker of this process, which would generate the same IDs',
    'Stop that maker first (in a test: await app.close()), or give each maker its own worker ID.',
  );
}
