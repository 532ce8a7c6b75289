import type { Clock } from '../../core/clock/clock.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { fencingTokenOf } from '../../lease/fencing-token.js';

/** A worker ID that is chosen outside the process, and how to describe it. */
export interface FixedWorkerId {
  readonly workerId: number;
  /** Names this store in logs and errors. */
  readonly description: string;
  /** A warning for the user, sent once at startup. */
  readonly warning?: string;
  /** Sets the time at which the grant begins. */
  readonly clock: Pick<Clock, 'now'>;
  /** Where the worker ID comes from, for the error if the bit layout cannot hold it. */
  readonly origin: {
    /** Names the option or variable to change. */
    readonly option: string;
    readonly value: unknown;
    /** How the worker ID follows from the value, if the two differ. */
    readonly derivation?: string;
    readonly remedy: string;
  };
}

const FOR_EVER_MS = Number.MAX_SAFE_INTEGER;

class FixedLeaseStore implements LeaseStore {
  readonly renewable = false;

  private granted?: { readonly layout: string; readonly fencingToken: string; readonly fromMs: number };
  private lastUsedMs?: number;
  private grantsAgain = false;

  constructor(private readonly fixed: FixedWorkerId) {}

  get description(): string {
    return this.fixed.description;
  }

  open({ warn }: StoreSettings): void {
    const { warning } = this.fixed;
    this.grantsAgain = this.lastUsedMs !== undefined;
    if (warning !== undefined) warn?.(warning);
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    const { workerId, clock } = this.fixed;
    this.checkRange(request);
    const storeNowMs = clock.now();
    if (this.granted && !this.grantsAgain) {
      const isHolder =
        request.claim?.fencingToken === this.granted.fencingToken && this.lastUsedMs === undefined;
      if (isHolder) {
        const { fencingToken } = this.granted;
        return { outcome: 'kept', fencingToken, untilMs: FOR_EVER_MS, storeNowMs };
      }
      return { outcome: 'full', nextFreeInMs: FOR_EVER_MS - storeNowMs, storeNowMs };
    }
    if (this.granted && this.granted.layout !== request.layout) {
      return { outcome: 'layout', storedLayout: this.granted.layout };
    }
    const fromMs = Math.max(storeNowMs, this.lastUsedMs ?? 0);
    const fencingToken = fencingTokenOf(request.nonce, fromMs);
    this.granted = { layout: request.layout, fencingToken, fromMs };
    this.lastUsedMs = undefined;
    this.grantsAgain = false;
    return { outcome: 'new', workerId, fencingToken, fromMs, untilMs: FOR_EVER_MS, storeNowMs };
  }

  async release({ workerId, fencingToken, lastUsedMs }: ReleaseRequest): Promise<ReleaseReply> {
    if (this.granted?.fencingToken !== fencingToken || this.lastUsedMs !== undefined)
      return { outcome: 'gone' };
    if (workerId !== this.fixed.workerId) return { outcome: 'gone' };
    this.lastUsedMs = Math.max(lastUsedMs, this.granted.fromMs);
    return { outcome: 'released' };
  }

  async inspect(): Promise<RegistrySnapshot> {
    const { workerId, clock } = this.fixed;
    const storeNowMs = clock.now();
    if (!this.granted) return { storeNowMs, rows: [] };
    const isReleased = this.lastUsedMs !== undefined;
    return {
      storeNowMs,
      layout: this.granted.layout,
      rows: [
        {
          workerId,
          reservedUntilMs: this.lastUsedMs ?? FOR_EVER_MS,
          fencingToken: isReleased ? '' : this.granted.fencingToken,
        },
      ],
    };
  }

  async close(): Promise<void> {}

  private checkRange({ firstWorkerId, workerCount }: LeaseRequest): void {
    const last = firstWorkerId + workerCount - 1;
    const { workerId, origin } = this.fixed;
    if (workerId >= firstWorkerId && workerId <= last) return;
    const problem = `is outside the worker IDs of the bit layout, ${firstWorkerId}..${last}`;
    throw new InvalidOptionError(
      origin.option,
      origin.value,
      origin.derivation === undefined ? problem : `${origin.derivation}, which ${problem}`,
      origin.remedy,
    );
  }
}

/**
 * Returns a store that grants one worker ID in a grant that never ends. It grants it a second time only after the first
 * grant was released and the store was opened again. The second grant begins after the last timestamp used, which the store
 * remembers.
 */
export function fixedLeaseStore(fixed: FixedWorkerId): LeaseStore {
  return new FixedLeaseStore(fixed);
}
