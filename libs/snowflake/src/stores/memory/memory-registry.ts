import { oneInProcess } from '../../core/process-memory.js';
import type {
  BackfillReply,
  BackfillRequest,
  LeaseReply,
  LeaseRequest,
  ReleaseReply,
  ReleaseRequest,
} from '../../lease/lease-store.js';
import { type CorruptReply, executeNow } from '../protocol/registry-calls.js';
import { backfillTransaction } from '../protocol/backfill-transaction.js';
import { leaseTransaction, releaseTransaction } from '../protocol/lease-transaction.js';
import type { ServerState } from '../protocol/lease-registry.js';
import { FieldsRegistry } from './fields-registry.js';

/** A release doesn't read the clock or the history. */
const ANY_SERVER: ServerState = { nowMs: 0, historyId: '' };

/**
 * The lease protocol on a Map: no clock, no timers, no randomness, no I/O. It keeps the same fields as the Redis hash and
 * answers every call as the Lua scripts do; a test compares the two step by step.
 */
@oneInProcess('MemoryRegistry')
export class MemoryRegistry {
  /** The stored fields, as in Redis. Exposed for tests that damage, copy or compare them. */
  readonly fields = new Map<string, string>();

  /** Renews the claim of the request, or else acquires a worker ID. Changes nothing if a field is unreadable. */
  lease(request: LeaseRequest, server: ServerState): LeaseReply {
    return executeNow(leaseTransaction(request), new FieldsRegistry(this.fields, server));
  }

  /** Releases a worker ID. */
  release(request: ReleaseRequest): ReleaseReply | CorruptReply {
    return executeNow(releaseTransaction(request), new FieldsRegistry(this.fields, ANY_SERVER));
  }

  /** Claims timestamps of the past. Changes nothing if a field is unreadable. */
  backfill(request: BackfillRequest, server: ServerState): BackfillReply {
    return executeNow(backfillTransaction(request), new FieldsRegistry(this.fields, server));
  }

  /** Deletes everything, as `FLUSHALL` does. */
  wipe(): void {
    this.fields.clear();
  }
}
