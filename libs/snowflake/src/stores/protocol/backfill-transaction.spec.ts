import { MemoryRegistry } from '../memory/memory-registry.js';
import { FieldsRegistry } from '../memory/fields-registry.js';
import type { BackfillReply, BackfillRequest, LeaseRequest } from '../../lease/lease-store.js';
import { BACKFILL_MECHANISMS, type BackfillMechanisms, backfillTransaction } from './backfill-transaction.js';
import { executeNow } from './registry-calls.js';

const NOW_MS = 2_000_000;
const WINDOW_MS = 60_000;
const LEASE: LeaseRequest = {
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: WINDOW_MS,
  maxSkewMs: 5000,
  nonce: 'holder',
  retry: false,
  assumeNew: false,
  searchSeed: 0,
};
const CLAIM: BackfillRequest = {
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  firstMs: 1000,
  untilMs: 2000,
  maxShiftMs: 100,
  ignoreLoss: false,
};

/** A registry with a holder, on a server whose clock and history the test decides. */
class Server {
  readonly registry = new MemoryRegistry();
  nowMs = NOW_MS;
  history = 'first';

  /** @param begin how the first holder ends the wait of the empty registry */
  constructor(
    private readonly mechanisms: BackfillMechanisms = BACKFILL_MECHANISMS,
    begin: Partial<LeaseRequest> = { ignoreLoss: true },
  ) {
    this.lease('holder', begin);
    this.nowMs += 1;
  }

  private get state() {
    return { nowMs: this.nowMs, historyId: this.history };
  }

  lease(nonce: string, changes: Partial<LeaseRequest> = {}) {
    return this.registry.lease({ ...LEASE, ...changes, nonce }, this.state);
  }

  claim(changes: Partial<BackfillRequest> = {}): BackfillReply {
    const transaction = backfillTransaction({ ...CLAIM, ...changes }, this.mechanisms);
    return executeNow(transaction, new FieldsRegistry(this.registry.fields, this.state));
  }

  /** Claims, and returns each timestamp with its worker ID. */
  claimed(changes: Partial<BackfillRequest> = {}): string[] {
    const reply = this.claim(changes);
    if (reply.outcome !== 'claimed') throw new Error(reply.outcome);
    const { firstMs } = { ...CLAIM, ...changes };
    const fromMs = Math.max(reply.fromMs, firstMs - 1);
    return Array.from(
      { length: reply.untilMs - fromMs },
      (_, index) => `${reply.workerId}:${fromMs + 1 + index}`,
    );
  }
}

const first = { ignoreLoss: true };

/** How many timestamps of two claims of one range are equal. */
function repeated(server: Server): number {
  const [one, other] = [server.claimed(first), new Set(server.claimed())];
  return one.filter((timestamp) => other.has(timestamp)).length;
}

describe('claims of the past [promise: unique]', () => {
  it('never overlap: the second claim of a range gets another worker ID', () => {
    const server = new Server();
    expect(repeated(server)).toBe(0);
  });

  it('overlap if what was served is forgotten (control)', () => {
    expect(repeated(new Server({ ...BACKFILL_MECHANISMS, servedUntilMs: () => 0 }))).toBe(1001);
  });

  it('continue on the worker ID of the last claim, and are shifted by the instants that both have', () => {
    const server = new Server();
    expect(server.claim(first)).toMatchObject({ outcome: 'claimed', fromMs: 0, untilMs: 2000 });
    const next = server.claim({ firstMs: 2000, untilMs: 3000 });
    expect(next).toMatchObject({ outcome: 'claimed', workerId: 4, fromMs: 2000, untilMs: 3001 });
    expect(server.claim({ firstMs: 2902, untilMs: 2902 })).toMatchObject({ workerId: 4, untilMs: 3002 });
    expect(server.claim({ firstMs: 2902, untilMs: 2902 })).toMatchObject({ workerId: 5, fromMs: 0 });
  });

  it('take the worker ID that has served most, and rather that of the caller', () => {
    const server = new Server();
    server.claim(first);
    server.claim();
    server.claim({ firstMs: 2500, untilMs: 2600 });
    expect(server.claim({ firstMs: 3000, untilMs: 3000, workerId: 5 })).toMatchObject({ workerId: 5 });
    expect(server.claim({ firstMs: 3500, untilMs: 3500 })).toMatchObject({ workerId: 5, fromMs: 3000 });
  });

  it('take no more than half of the worker IDs, and none that a process has leased', () => {
    const server = new Server();
    for (const nonce of ['a', 'b', 'c', 'd']) server.lease(nonce);
    const claims = Array.from({ length: 4 }, () => server.claim(first));
    expect(claims.map((reply) => ('workerId' in reply ? reply.workerId : reply.outcome))).toEqual([
      5,
      6,
      7,
      'full',
    ]);
    expect(server.claim({ ...first, workerCount: 1 })).toEqual({ outcome: 'full' });
  });

  it('keep their worker ID from processes for ever', () => {
    const server = new Server();
    for (let claims = 0; claims < 4; claims += 1) server.claim(first);
    server.nowMs *= 1000;
    const leases = Array.from({ length: 5 }, (_, index) => server.lease(`new${index}`));
    expect(leases.map((reply) => ('workerId' in reply ? reply.workerId : reply.outcome))).toEqual([
      1,
      2,
      3,
      0,
      'full',
    ]);
  });
});

describe('claims of the past after a possible loss [promise: after-loss]', () => {
  /** Claims, returns the registry to a copy from before that, notices by a lease that the history has changed, and claims again. */
  function repeatedAfterLoss(server: Server): number {
    server.claim({ ...first, untilMs: 1000 });
    const copy = new Map(server.registry.fields);
    const lost = server.claimed({ firstMs: 1001 });
    server.registry.wipe();
    for (const [field, value] of copy) server.registry.fields.set(field, value);
    server.history = 'second';
    expect(server.claim()).toEqual({ outcome: 'wait' });
    expect(server.lease('newcomer').outcome).toBe('wait');
    expect(server.claim()).toEqual({ outcome: 'wait' });
    server.nowMs += WINDOW_MS + 5001;
    const again = new Set(server.claimed({ firstMs: 1001 }));
    return lost.filter((timestamp) => again.has(timestamp)).length;
  }

  it('are refused until the operator asserts that nothing was lost', () => {
    const server = new Server();
    expect(() => repeatedAfterLoss(server)).toThrow('possible-loss');
    expect(server.claim(first)).toMatchObject({ outcome: 'claimed' });
    expect(server.claim({ firstMs: 3000, untilMs: 4000 })).toMatchObject({ outcome: 'claimed' });
  });

  it('repeat what was lost if the history is ignored (control)', () => {
    expect(repeatedAfterLoss(new Server({ ...BACKFILL_MECHANISMS, isOfHistory: () => true }))).toBe(1000);
  });

  it('are refused at first, because an empty registry may have lost its claims', () => {
    const server = new Server();
    expect(server.claim()).toEqual({ outcome: 'possible-loss' });
    server.claim(first);
    expect(server.claim()).toMatchObject({ outcome: 'claimed' });
    server.registry.wipe();
    expect(server.claim(first)).toEqual({ outcome: 'wait' });
    server.lease('holder', { ignoreLoss: true });
    server.nowMs += 1;
    expect(server.claim()).toEqual({ outcome: 'possible-loss' });
  });

  const declaredNew = { assumeNew: true };

  it('need no assertion in a namespace that was declared new, until its history changes', () => {
    const server = new Server(BACKFILL_MECHANISMS, declaredNew);
    expect(server.claim()).toMatchObject({ outcome: 'claimed' });
    expect(server.claim({ firstMs: 2001, untilMs: 3000 })).toMatchObject({ outcome: 'claimed' });
    expect(() => repeatedAfterLoss(new Server(BACKFILL_MECHANISMS, declaredNew))).toThrow('possible-loss');
  });

  it('are refused after a declared namespace was lost as a whole, although its holders go on', () => {
    const server = new Server(BACKFILL_MECHANISMS, declaredNew);
    server.claim();
    server.registry.wipe();
    server.lease('newcomer');
    server.nowMs += WINDOW_MS + 5001;
    expect(server.claim()).toEqual({ outcome: 'possible-loss' });
  });

  it('repeat what was lost if every namespace counts as declared new (control)', () => {
    const trusting = { ...BACKFILL_MECHANISMS, isDeclaredNew: () => true };
    expect(repeatedAfterLoss(new Server(trusting, declaredNew))).toBe(1000);
  });

  it('change nothing if they are refused', () => {
    const server = new Server();
    const before = new Map(server.registry.fields);
    expect(server.claim({ layout: 'other' })).toEqual({ outcome: 'layout', storedLayout: 'layout' });
    server.claim();
    expect(server.registry.fields).toEqual(before);
    server.registry.fields.set('grantsAfter', 'x');
    expect(server.claim()).toEqual({ outcome: 'corrupt', field: 'grantsAfter', stored: 'x' });
  });
});
