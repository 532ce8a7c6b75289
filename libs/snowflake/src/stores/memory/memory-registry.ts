import type { LeaseReply, LeaseRequest, ReleaseReply, ReleaseRequest } from '../../lease/lease-store.js';
import { type CorruptReply, LeaseCall, releaseCall, runNow, type ServerState } from '../protocol/index.js';
import { FieldsRegistry } from './fields-registry.js';

/** A release reads no clock and no history. */
const ANY_SERVER: ServerState = { nowMs: 0, historyId: '' };

/**
 * The lease protocol on a Map: no clock, no timers, no randomness, no I/O. It keeps the same fields as the Redis hash and
 * answers every call as the Lua scripts do; a test compares the two step by step.
 */
export class MemoryRegistry {
  /** What is stored, field by field as in Redis. Exposed for tests that damage, copy or compare it. */
  readonly fields = new Map<string, string>();

  /** Renews the shown claim, or else acquires a worker ID. Nothing is changed when a field is unreadable. */
  lease(request: LeaseRequest, server: ServerState): LeaseReply {
    return runNow(this.callOf(request).run(), new FieldsRegistry(this.fields, server));
  }

  /** Gives a worker ID back. */
  release(request: ReleaseRequest): ReleaseReply | CorruptReply {
    return runNow(releaseCall(request), new FieldsRegistry(this.fields, ANY_SERVER));
  }

  /** Forgets everything, as `FLUSHALL` does. */
  wipe(): void {
    this.fields.clear();
  }

  /** One execution of `lease`. Tests put calls in its place that miss one of the protocol's mechanisms. */
  protected callOf(request: LeaseRequest): LeaseCall {
    return new LeaseCall(request);
  }
}
