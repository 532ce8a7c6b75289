import type {
  LeaseReply,
  LeaseRequest,
  ReleaseRequest,
} from '../../../libs/snowflake/src/lease/lease-store.js';
import { WindowLedger } from '../../../libs/snowflake/src/stores/port/window-ledger.js';
import { fromOfFencingToken } from '../../../libs/snowflake/src/lease/fencing-token.js';
import type { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';

export const WINDOW_MS = 600;
export const HOLDERS = 4;
const START_MS = 1_000_000;
const WORKER_COUNT = 2;
/** As many calls can be stuck. */
export const MOST_STUCK = 500;

type Grant = Pick<Extract<LeaseReply, { outcome: 'new' }>, 'workerId' | 'fencingToken' | 'untilMs'>;
interface Holder {
  nonce: string;
  mayBeExecuted: boolean;
  grant?: Grant;
}
export interface Conditions {
  readonly maxSkewMs: number;
  /** How far behind its furthest time the store's clock may step. */
  readonly clockStepsBackMs: number;
  readonly ignoreLoss: boolean;
  readonly makeRegistry: () => MemoryRegistry;
}

/**
 * Holders of a registry in memory. Their replies can be lost, their calls can be executed a second time, the clock of the store can step, and
 * the store can lose what it has. The ledger records what they adopt.
 */
export class ForgetfulWorld {
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
      preferLongestOffline: isSwitch,
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
    const fromMs = fromOfFencingToken(grant.fencingToken) ?? 0;
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
    if (this.sent.length < MOST_STUCK) this.sent.push(call);
    const server = { nowMs: this.nowMs, historyId: `history ${this.histories}` };
    if ('layout' in call) return this.registry.lease(call, server);
    this.registry.release(call);
    return undefined;
  }

  private adopt(holder: Holder, reply: LeaseReply | undefined): void {
    if (reply?.outcome === 'kept' && holder.grant) {
      this.ledger.extend(holder.grant.workerId, holder.grant.fencingToken, reply);
      const { fencingToken, untilMs } = reply;
      holder.grant = { workerId: holder.grant.workerId, fencingToken, untilMs };
      holder.nonce = this.newNonce();
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
