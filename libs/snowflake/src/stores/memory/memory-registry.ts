import type { LeaseReply, LeaseRequest, ReleaseReply, ReleaseRequest } from '../../lease/lease-store.js';
import { fromOfDeed, writeRow } from '../registry-format.js';
import type { ServerState } from './lease-call.js';
import { LeaseCall } from './lease-call.js';
import { storedRow, Unreadable } from './stored-row.js';

type CorruptReply = Extract<LeaseReply, { outcome: 'corrupt' }>;

/**
 * The lease protocol as a pure model: no clock, no timers, no randomness, no I/O. It keeps the same fields as the
 * Redis hash and answers every call as the Lua scripts do; a test compares the two step by step.
 */
export class MemoryRegistry {
  /** What is stored, field by field as in Redis. Exposed for tests that damage, copy or compare it. */
  readonly fields = new Map<string, string>();

  /** Renews the shown claim, or else acquires a worker ID. Nothing is changed when a field is unreadable. */
  lease(request: LeaseRequest, server: ServerState): LeaseReply {
    return this.reportUnreadable(() => this.callOf(request, server).run());
  }

  /** Gives a worker ID back; see the `release` script. */
  release(request: ReleaseRequest): ReleaseReply | CorruptReply {
    return this.reportUnreadable<ReleaseReply>(() => {
      const row = storedRow(this.fields, request.workerId);
      if (!row || request.deed === '' || row.deed !== request.deed) return { outcome: 'gone' };
      const reservedUntilMs = Math.max(request.lastUsedMs, fromOfDeed(request.deed) ?? 0);
      this.fields.set(String(request.workerId), writeRow({ reservedUntilMs, deed: '' }));
      return { outcome: 'released' };
    });
  }

  /** Forgets everything, as `FLUSHALL` does. */
  wipe(): void {
    this.fields.clear();
  }

  /** One execution of `lease`. Tests put calls in its place that lack one of the protocol's mechanisms. */
  protected callOf(request: LeaseRequest, server: ServerState): LeaseCall {
    return new LeaseCall(this.fields, request, server);
  }

  private reportUnreadable<Reply>(call: () => Reply): Reply | CorruptReply {
    try {
      return call();
    } catch (error) {
      if (error instanceof Unreadable) {
        return { outcome: 'corrupt', field: error.field, stored: error.stored };
      }
      throw error;
    }
  }
}
