import fc from 'fast-check';
import type {
  LeaseReply,
  LeaseRequest,
  ReleaseRequest,
} from '../../../libs/snowflake/src/lease/lease-store.js';
import { LeaseCall } from '../../../libs/snowflake/src/stores/protocol/lease-call.js';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';
import { WindowLedger } from '../../../libs/snowflake/src/store-testing/window-ledger.js';
import { runs } from '../../support/runs.js';

/**
 * The theorem of the lease protocol, tried on the model with random holders: whatever is lost, delayed or executed
 * twice, no timestamp of one worker ID is ever adopted by two holders.
 */

const START_MS = 1_000_000;
const WINDOW_MS = 600;
const MAX_SKEW_MS = 50;
const WORKER_COUNT = 2;
const HOLDERS = 4;

type Grant = Pick<Extract<LeaseReply, { outcome: 'new' }>, 'workerId' | 'fencingToken' | 'untilMs'>;
interface Holder {
  nonce: string;
  mayBeExecuted: boolean;
  grant?: Grant;
}
interface Conditions {
  readonly maxSkewMs: number;
  /** How far behind its furthest time the store's clock may step. */
  readonly clockStepsBackMs: number;
  readonly ignoreLoss: boolean;
  readonly makeRegistry: () => MemoryRegistry;
}

class World {
  readonly ledger = new WindowLedger();
  private readonly registry: MemoryRegistry;
  private readonly holders: Holder[] = [];
  private readonly sent: Array<LeaseRequest | ReleaseRequest> = [];
  private copy = new Map<string, string>();
  private nowMs = START_MS;
  private furthestMs = START_MS;
  private nonces = 0;
  private histories = 0;

  constructor(private readonly conditions: Conditions) {
    this.registry = conditions.makeRegistry();
    for (let index = 0; index < HOLDERS; index += 1) this.holders.push(this.newHolder());
  }

  pass(ms: number): void {
    this.nowMs = Math.max(this.nowMs + ms, this.furthestMs - this.conditions.clockStepsBackMs);
    this.furthestMs = Math.max(this.furthestMs, this.nowMs);
  }

  /** A holder renews or acquires; its reply may be lost. A holder that switches does not show its claim. */
  lease(index: number, isReplyLost: boolean, isSwitch: boolean): void {
    const holder = this.holderAt(index);
    const request: LeaseRequest = {
      layout: 'layout',
      firstWorkerId: 0,
      workerCount: WORKER_COUNT,
      windowMs: WINDOW_MS,
      maxSkewMs: this.conditions.maxSkewMs,
      nonce: holder.nonce,
      retry: holder.mayBeExecuted,
      assumeNew: false,
      ignoreLoss: this.conditions.ignoreLoss,
      searchSeed: 0,
      preferOffline: isSwitch,
      ...(holder.grant && !isSwitch ? { claim: holder.grant } : {}),
    };
    const reply = this.execute(request);
    holder.mayBeExecuted = isReplyLost;
    if (!isReplyLost) this.adopt(holder, reply);
  }

  release(index: number, share: number): void {
    const { grant } = this.holderAt(index);
    this.holders[index] = this.newHolder();
    if (!grant) return;
    const fromMs = Number(/@(\d+)$/.exec(grant.fencingToken)?.[1]);
    const lastUsedMs = fromMs + Math.floor(((grant.untilMs - fromMs) * share) / 100);
    this.ledger.release(grant.workerId, grant.fencingToken, lastUsedMs);
    this.execute({ workerId: grant.workerId, fencingToken: grant.fencingToken, lastUsedMs });
  }

  crash(index: number): void {
    this.holders[index] = this.newHolder();
  }

  /** The server executes a call once more, which was stuck all the time. Nobody waits for the reply. */
  executeAgain(index: number): void {
    const stuck = this.sent[index % (this.sent.length || 1)];
    if (stuck) this.execute(stuck);
  }

  remember(): void {
    this.copy = new Map(this.registry.fields);
  }

  /** Everything since {@link remember}, or everything at all, is lost. */
  lose(isAll: boolean): void {
    this.registry.wipe();
    this.histories += 1;
    if (!isAll) for (const [field, value] of this.copy) this.registry.fields.set(field, value);
  }

  private execute(call: LeaseRequest | ReleaseRequest): LeaseReply | undefined {
    if (this.sent.length < 500) this.sent.push(call);
    const server = { nowMs: this.nowMs, historyId: `history ${this.histories}` };
    if ('layout' in call) return this.registry.lease(call, server);
    this.registry.release(call);
    return undefined;
  }

  private adopt(holder: Holder, reply: LeaseReply | undefined): void {
    if (reply?.outcome === 'kept' && holder.grant) {
      holder.grant = { ...holder.grant, untilMs: reply.untilMs };
      this.ledger.extend(holder.grant.workerId, holder.grant.fencingToken, reply.untilMs);
    }
    if (reply?.outcome !== 'new') return;
    const { workerId, fencingToken, untilMs } = reply;
    holder.grant = { workerId, fencingToken, untilMs };
    holder.nonce = this.newNonce();
    this.ledger.grant(reply);
  }

  private holderAt(index: number): Holder {
    return (this.holders[index] ??= this.newHolder());
  }

  private newHolder(): Holder {
    return { nonce: this.newNonce(), mayBeExecuted: false };
  }

  private newNonce(): string {
    this.nonces += 1;
    return `nonce ${this.nonces}`;
  }
}

const holder = fc.nat(HOLDERS - 1);
type Step = (world: World) => void;
const withoutLoss: fc.WeightedArbitrary<Step>[] = [
  {
    weight: 10,
    arbitrary: fc.tuple(holder, fc.boolean(), fc.nat(9)).map(
      ([index, isReplyLost, n]) =>
        (world) =>
          world.lease(index, isReplyLost, n === 0),
    ),
  },
  {
    weight: 6,
    arbitrary: fc
      .oneof(
        fc.integer({ min: -WINDOW_MS, max: 2 * WINDOW_MS }),
        fc.constantFrom(1, 1, 10, -10, -MAX_SKEW_MS, WINDOW_MS, WINDOW_MS + 1),
      )
      .map((ms) => (world) => world.pass(ms)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(holder, fc.constantFrom(0, 50, 100)).map(
      ([index, share]) =>
        (world) =>
          world.release(index, share),
    ),
  },
  { weight: 1, arbitrary: holder.map((index) => (world) => world.crash(index)) },
  { weight: 4, arbitrary: fc.nat(499).map((index) => (world) => world.executeAgain(index)) },
];
const withLoss: fc.WeightedArbitrary<Step>[] = [
  ...withoutLoss,
  { weight: 1, arbitrary: fc.constant((world) => world.remember()) },
  { weight: 2, arbitrary: fc.boolean().map((isAll) => (world) => world.lose(isAll)) },
];

function safety(conditions: Conditions, steps: fc.WeightedArbitrary<Step>[]) {
  const histories = fc.array(fc.oneof(...steps), { minLength: 20, maxLength: 150, size: 'max' });
  return fc.property(histories, (run) => {
    const world = new World(conditions);
    for (const step of run) step(world);
    expect(world.ledger.overlaps()).toEqual([]);
  });
}

const sound: Conditions = {
  maxSkewMs: MAX_SKEW_MS,
  clockStepsBackMs: MAX_SKEW_MS,
  ignoreLoss: false,
  makeRegistry: () => new MemoryRegistry(),
};

/** Registries that execute `lease` otherwise. */
function registryOf(Call: typeof LeaseCall): () => MemoryRegistry {
  class AlteredRegistry extends MemoryRegistry {
    protected override callOf(request: LeaseRequest): LeaseCall {
      return new Call(request);
    }
  }
  return () => new AlteredRegistry();
}

describe('the protocol [promise: after-loss, unique]', () => {
  it('no two holders adopt one timestamp, whatever the clock does, as long as nothing is lost', () => {
    fc.assert(safety({ ...sound, clockStepsBackMs: Infinity }, withoutLoss), { numRuns: runs(2_000) });
  });

  it('no two holders adopt one timestamp, whatever is lost, as long as the clock steps back no further than maxSkew', () => {
    fc.assert(safety(sound, withLoss), { numRuns: runs(4_000) });
  });
});

describe('the protocol without one of its mechanisms [promise: after-loss, unique]', () => {
  const seed = 1;
  const fails = (conditions: Conditions, numRuns: number): boolean =>
    fc.check(safety(conditions, withLoss), { numRuns, seed, endOnFailure: true }).failed;

  it('duplicates appear without the wait after a loss (control)', () => {
    expect(fails({ ...sound, ignoreLoss: true }, 400)).toBe(true);
  });

  it('duplicates appear if the clock steps back further than maxSkew after a loss (control)', () => {
    expect(fails({ ...sound, clockStepsBackMs: Infinity }, 2_000)).toBe(true);
  });

  it('duplicates appear without the gap of maxSkew between the end of a lease and its last renewal (control)', () => {
    class Gapless extends LeaseCall {
      protected override isRunning(untilMs: number): boolean {
        return untilMs >= this.server.nowMs;
      }
    }
    expect(fails({ ...sound, makeRegistry: registryOf(Gapless) }, 20_000)).toBe(true);
  });

  it('duplicates appear without the comparison of fencing tokens (control)', () => {
    class Tokenless extends LeaseCall {
      protected override isSameFencingToken(): boolean {
        return true;
      }
    }
    expect(fails({ ...sound, makeRegistry: registryOf(Tokenless) }, 2_000)).toBe(true);
  });
});
