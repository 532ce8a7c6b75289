import type { LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import { MemoryRegistry } from '../memory/memory-registry.js';
import { FieldsRegistry } from '../memory/fields-registry.js';
import { leaseTransaction, releaseTransaction } from './lease-transaction.js';
import { executeNow } from './registry-calls.js';
import { registryWith } from '../../../../../test/support/leases/registry-with.js';

const START_MS = 1_000_000;
const LONG_WINDOW_MS = 60_000;
const SHORT_WINDOW_MS = 30_000;
const MAX_SKEW_MS = 5000;

type Changes = Partial<Pick<LeaseRequest, 'assumeNew' | 'ignoreLoss' | 'claim'>>;

function request(nonce: string, windowMs: number, changes: Changes = {}): LeaseRequest {
  return {
    layout: 'layout',
    firstWorkerId: 0,
    workerCount: 4,
    windowMs,
    maxSkewMs: MAX_SKEW_MS,
    nonce,
    retry: false,
    assumeNew: false,
    searchSeed: 0,
    ...changes,
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
  registry.lease(START_MS, request('first', LONG_WINDOW_MS, { assumeNew: true }));
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

describe('the longest window of a namespace [promise: after-loss]', () => {
  it('keeps the longest window beyond its history, so a grant that is lost twice is waited for to its end', () => {
    expect(waitBeyondLostGrant(() => new MemoryRegistry())).toBe(MAX_SKEW_MS);
  });

  // Control: each history forgets it, and the next grant can begin before the lost one ends.
  it('forgets the longest window if each history begins with that of its first caller (control)', () => {
    const forgetful = registryWith({ longestWindowMs: (requestedMs) => requestedMs });
    expect(waitBeyondLostGrant(forgetful)).toBeLessThan(0);
  });
});

/** When a copy of the server starts, to which nobody connects yet. */
const COPY_STARTS_MS = START_MS + 1000;
/** Beyond the wait, if it counted from the start of the copy. */
const SWITCH_MS = COPY_STARTS_MS + LONG_WINDOW_MS + MAX_SKEW_MS + 1;

/**
 * A copy of the server starts and stays idle, while the original goes on granting. Then the copy takes its place. Returns by
 * how much the first timestamp of a newcomer's window is above the last one of the latest grant of the original.
 */
function gapAfterSwitchToCopy(make: () => MemoryRegistry): number {
  const registry = new LosingRegistry(make);
  registry.lease(START_MS, request('first', LONG_WINDOW_MS, { assumeNew: true }));
  const copy = registry.copy();
  const latest = registry.lease(SWITCH_MS, request('second', LONG_WINDOW_MS));
  registry.goOnWith(copy);
  const reply = registry.lease(SWITCH_MS + 1, request('newcomer', LONG_WINDOW_MS));
  if (latest.outcome !== 'new') throw new Error('expected a grant');
  if (reply.outcome === 'wait') return reply.storeNowMs + reply.waitMs - latest.untilMs;
  if (reply.outcome !== 'new' || reply.workerId !== latest.workerId)
    throw new Error('expected the worker ID of the latest grant');
  return reply.fromMs - latest.untilMs;
}

describe('the wait after a change of history', () => {
  it('waits longer than what the original granted after a copy of it had started', () => {
    expect(gapAfterSwitchToCopy(() => new MemoryRegistry())).toBeGreaterThan(0);
  });

  // Control: the wait is over before anybody calls, and the newcomer gets timestamps of a live holder.
  it('ends the wait too early if it counts from the start of the server (control)', () => {
    const countsFromStart = registryWith({
      grantsAfterLoss: (_, longestWindowMs) => COPY_STARTS_MS + longestWindowMs + MAX_SKEW_MS,
    });
    expect(gapAfterSwitchToCopy(countsFromStart)).toBeLessThan(0);
  });
});

describe('a request that ignores a loss', () => {
  const ignoring = { ignoreLoss: true };

  function afterLoss(): LosingRegistry {
    const registry = new LosingRegistry(() => new MemoryRegistry());
    registry.lease(START_MS, request('holder', LONG_WINDOW_MS, { assumeNew: true }));
    registry.goOnWith(registry.copy());
    return registry;
  }

  it('grants at once after a change of history if the loss is ignored, and ends the wait of others', () => {
    const registry = afterLoss();
    expect(registry.lease(START_MS + 1, request('waiting', LONG_WINDOW_MS)).outcome).toBe('wait');
    const granted = registry.lease(START_MS + 2, request('ignoring', LONG_WINDOW_MS, ignoring));
    expect(granted).toMatchObject({ outcome: 'new', workerId: 1, fromMs: START_MS + 1 });
    expect(registry.lease(START_MS + 3, request('waiting', LONG_WINDOW_MS)).outcome).toBe('new');
  });

  it('waits after a change of history with assumeNew, which is about an empty namespace', () => {
    const assuming = request('assuming', LONG_WINDOW_MS, { assumeNew: true });
    expect(afterLoss().lease(START_MS + 1, assuming).outcome).toBe('wait');
  });

  it('respects the stored leases when a loss is ignored', () => {
    const registry = afterLoss();
    const workerIds = ['a', 'b', 'c'].map((nonce) => {
      const reply = registry.lease(START_MS + 1, request(nonce, LONG_WINDOW_MS, ignoring));
      return reply.outcome === 'new' ? reply.workerId : reply.outcome;
    });
    expect(workerIds).toEqual([1, 2, 3]);
    expect(registry.lease(START_MS + 1, request('d', LONG_WINDOW_MS, ignoring)).outcome).toBe('full');
  });

  it('ignores no loss if the request shows a claim', () => {
    const registry = new LosingRegistry(() => new MemoryRegistry());
    const claim = { workerId: 0, fencingToken: 'held@1', untilMs: START_MS + LONG_WINDOW_MS };
    const renewal = request('holder', LONG_WINDOW_MS, { ...ignoring, claim });
    expect(registry.lease(START_MS, renewal).outcome).toBe('kept');
    expect(registry.lease(START_MS + 1, request('newcomer', LONG_WINDOW_MS)).outcome).toBe('wait');
  });
});

describe('a claim that meets an empty registry [promise: after-loss]', () => {
  const claim = { workerId: 0, fencingToken: 'held@1', untilMs: START_MS + LONG_WINDOW_MS };

  /** Returns the outcome for a newcomer after a call that asserts that the namespace is new. */
  function outcomeForNewcomer(changes: Changes): string {
    const registry = new LosingRegistry(() => new MemoryRegistry());
    registry.lease(START_MS, request('first', LONG_WINDOW_MS, { assumeNew: true, ...changes }));
    return registry.lease(START_MS + 1, request('newcomer', LONG_WINDOW_MS)).outcome;
  }

  it('makes newcomers wait, because a namespace with a holder has lost its registry', () => {
    expect(outcomeForNewcomer({ claim })).toBe('wait');
  });

  it('lets newcomers in at once without the claim (control)', () => {
    expect(outcomeForNewcomer({})).toBe('new');
  });
});

/** A registry in which rows were restored or removed. */
class IncompleteRegistry extends FieldsRegistry {
  override hasAllRows(): boolean {
    return false;
  }
}

describe('a holder that renews after rows were restored', () => {
  const server = { nowMs: START_MS, historyId: 'history' };

  /** Renews the claim of a stored lease that ends `leftMs` from now. */
  function outcomeOfRenewal(Registry: typeof FieldsRegistry, leftMs: number): string {
    const untilMs = START_MS + leftMs;
    const fields = new Map(
      Object.entries({
        layout: 'layout',
        historyId: 'history',
        grantsAfter: '0',
        grantsAfterReason: 'empty',
        window: String(LONG_WINDOW_MS),
        maxSkew: String(MAX_SKEW_MS),
        fresh: '1',
        0: `${untilMs} held@1`,
      }),
    );
    const renewal = request('holder', LONG_WINDOW_MS, {
      claim: { workerId: 0, fencingToken: 'held@1', untilMs },
    });
    return executeNow(leaseTransaction(renewal), new Registry(fields, server)).outcome;
  }

  it('carries its lease over if more than maxSkew is left of it', () => {
    expect(outcomeOfRenewal(IncompleteRegistry, MAX_SKEW_MS)).toBe('kept');
  });

  it('waits if less is left, because another process may have been granted what follows', () => {
    expect(outcomeOfRenewal(IncompleteRegistry, MAX_SKEW_MS - 1)).toBe('wait');
    expect(outcomeOfRenewal(FieldsRegistry, MAX_SKEW_MS - 1)).toBe('kept');
  });
});

describe('a release', () => {
  const released = (fields: Record<string, string>, fencingToken: string): string => {
    const server = { nowMs: START_MS, historyId: 'history' };
    const registry = new FieldsRegistry(new Map(Object.entries(fields)), server);
    return executeNow(releaseTransaction({ workerId: 0, fencingToken, lastUsedMs: START_MS }), registry)
      .outcome;
  };

  it('returns the lease that it shows, and changes no row of another lease, of none, or without one', () => {
    const row = `${START_MS} held@1`;
    expect(released({ 0: row }, 'held@1')).toBe('released');
    expect(released({ 0: row }, 'other@1')).toBe('gone');
    expect(released({ 0: `${START_MS} ` }, '')).toBe('gone');
    expect(released({}, 'held@1')).toBe('gone');
  });
});
