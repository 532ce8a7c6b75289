import type { LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import { MemoryRegistry } from '../memory/memory-registry.js';
import { LeaseCall } from './lease-call.js';

const START_MS = 1_000_000;
const LONG_WINDOW_MS = 60_000;
const SHORT_WINDOW_MS = 30_000;
const MAX_SKEW_MS = 5000;

function request(nonce: string, windowMs: number, assumeNew = false): LeaseRequest {
  return {
    layout: 'layout',
    firstWorkerId: 0,
    workerCount: 4,
    windowMs,
    maxSkewMs: MAX_SKEW_MS,
    nonce,
    retry: false,
    assumeNew,
    searchSeed: 0,
  };
}

/** A registry that loses what comes after a copy, and shows it by another history. */
class LosingRegistry {
  private registry: MemoryRegistry;
  private histories = 1;

  constructor(private readonly make: () => MemoryRegistry) {
    this.registry = make();
  }

  lease(nowMs: number, wanted: LeaseRequest): LeaseReply {
    return this.registry.lease(wanted, { nowMs, historyId: `history ${this.histories}` });
  }

  copy(): ReadonlyMap<string, string> {
    return new Map(this.registry.fields);
  }

  goOnWith(copy: ReadonlyMap<string, string>): void {
    this.registry = this.make();
    for (const [field, value] of copy) this.registry.fields.set(field, value);
    this.histories += 1;
  }
}

/**
 * A namespace is used with a long window, loses nothing but its history, is next called by somebody with a short one, and
 * then loses a grant that was made for the long one. Returns by how much the wait outlasts that grant.
 */
function waitBeyondLostGrant(make: () => MemoryRegistry): number {
  const registry = new LosingRegistry(make);
  registry.lease(START_MS, request('first', LONG_WINDOW_MS, true));
  registry.goOnWith(registry.copy());
  const waited = registry.lease(START_MS, request('second', SHORT_WINDOW_MS));
  expect(waited.outcome).toBe('wait');
  const laterMs = START_MS + LONG_WINDOW_MS + MAX_SKEW_MS + 1;
  const copy = registry.copy();
  const lost = registry.lease(laterMs, request('third', LONG_WINDOW_MS));
  registry.goOnWith(copy);
  const wait = registry.lease(laterMs, request('fourth', SHORT_WINDOW_MS));
  if (lost.outcome !== 'new' || wait.outcome !== 'wait') throw new Error('expected a grant and a wait');
  return laterMs + wait.waitMs - lost.untilMs;
}

describe('the longest window of a namespace', () => {
  it('outlives its history: a grant that is lost twice later is waited for to its end', () => {
    expect(waitBeyondLostGrant(() => new MemoryRegistry())).toBe(MAX_SKEW_MS);
  });

  // Control: each history forgets it, and the next grant can begin before the lost one ends.
  it('is lost if each history begins with that of its first caller', () => {
    class Forgetful extends LeaseCall {
      protected override keepLongestWindow(): number {
        return super.keepLongestWindow(0);
      }
    }
    class ForgetfulRegistry extends MemoryRegistry {
      protected override callOf(wanted: LeaseRequest): LeaseCall {
        return new Forgetful(wanted);
      }
    }
    expect(waitBeyondLostGrant(() => new ForgetfulRegistry())).toBeLessThan(0);
  });
});
