import type { Clock } from '../../core/clock.js';
import { InvalidOptionError } from '../../core/errors.js';
import { systemClock } from '../../core/system-clock.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
} from '../../lease/lease-store.js';
import { deedOf } from '../registry-format.js';

/** Options of {@link staticLeaseStore}. */
export interface StaticLeaseStoreOptions {
  /**
   * The worker ID of this process, a whole number from 0. It must lie in the range of the bit layout, and no other
   * process of the same ID space may have it at the same time: nothing but the operator sees to that.
   */
  readonly workerId: number;
  /** Tells when the grant begins. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

const REMEDY =
  'Give every process a worker ID of its own, a whole number from 0 that the bit layout can hold.';
const FOR_EVER_MS = Number.MAX_SAFE_INTEGER;

class StaticLeaseStore implements LeaseStore {
  readonly description: string;
  readonly renewable = false;

  private readonly workerId: number;
  private readonly clock: Pick<Clock, 'now'>;
  private granted?: { readonly layout: string; readonly deed: string };
  private lastUsedMs?: number;

  constructor({ workerId, clock = systemClock }: StaticLeaseStoreOptions) {
    if (!Number.isSafeInteger(workerId) || workerId < 0) {
      throw new InvalidOptionError('workerId', workerId, 'must be a whole number from 0', REMEDY);
    }
    this.description = `static worker ID ${workerId}`;
    this.workerId = workerId;
    this.clock = clock;
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    this.checkRange(request);
    const storeNowMs = this.clock.now();
    if (this.granted) {
      const isHolder = request.claim?.deed === this.granted.deed && this.lastUsedMs === undefined;
      if (isHolder) return { outcome: 'kept', untilMs: FOR_EVER_MS, storeNowMs };
      return { outcome: 'full', nextFreeInMs: FOR_EVER_MS - storeNowMs, storeNowMs };
    }
    const fromMs = storeNowMs;
    this.granted = { layout: request.layout, deed: deedOf(request.nonce, fromMs) };
    return {
      outcome: 'new',
      workerId: this.workerId,
      deed: this.granted.deed,
      fromMs,
      untilMs: FOR_EVER_MS,
      storeNowMs,
    };
  }

  async release({ workerId, deed, lastUsedMs }: ReleaseRequest): Promise<ReleaseReply> {
    const isHeld = this.granted?.deed === deed && this.lastUsedMs === undefined;
    if (workerId !== this.workerId || !isHeld) return { outcome: 'gone' };
    this.lastUsedMs = lastUsedMs;
    return { outcome: 'released' };
  }

  async inspect(): Promise<RegistrySnapshot> {
    const storeNowMs = this.clock.now();
    if (!this.granted) return { storeNowMs, rows: [] };
    const isReleased = this.lastUsedMs !== undefined;
    return {
      storeNowMs,
      layout: this.granted.layout,
      rows: [
        {
          workerId: this.workerId,
          reservedUntilMs: this.lastUsedMs ?? FOR_EVER_MS,
          deed: isReleased ? '' : this.granted.deed,
        },
      ],
    };
  }

  async close(): Promise<void> {}

  private checkRange({ firstWorkerId, workerCount }: LeaseRequest): void {
    const last = firstWorkerId + workerCount - 1;
    if (this.workerId >= firstWorkerId && this.workerId <= last) return;
    throw new InvalidOptionError(
      'workerId',
      this.workerId,
      `is outside the worker IDs of the bit layout, ${firstWorkerId}..${last}`,
      REMEDY,
    );
  }
}

/**
 * A fixed worker ID, without any server: one grant, for ever. There is no other worker ID to switch to and no second
 * grant, not even after a release: who needs one makes a new store, in a new process.
 *
 * It protects from nothing outside this process: two processes with the same `workerId` make duplicates, and so does
 * a restart while the clock is behind the last ID made.
 *
 * @throws InvalidOptionError when `workerId` is no whole number from 0; `lease()` rejects with it when the bit layout
 * cannot hold `workerId`
 */
export function staticLeaseStore(options: StaticLeaseStoreOptions): LeaseStore {
  return new StaticLeaseStore(options);
}
