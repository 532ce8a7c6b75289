import type {
  LeaseClaim,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
} from '../../../libs/snowflake/src/lease/lease-store.js';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/protocol/lease-registry.js';

type Grant = Pick<Extract<LeaseReply, { outcome: 'new' }>, 'workerId' | 'fencingToken' | 'untilMs'>;

export const START_MS = Date.UTC(2026, 0, 1);
export const WINDOW_MS = 6000;
export const MAX_SKEW_MS = 500;

/** One call of `lease`. */
export interface LeaseStep {
  nonce: number;
  retry: boolean;
  trust: boolean;
  ignoreLoss: boolean;
  preferLongestOffline: boolean;
  searchSeed: number;
  windowMs: number;
  maxSkewMs: number;
  isOtherLayout: boolean;
  /** Whether a claim is shown, which of the earlier grants it is of, and how far its end is off. */
  shows: boolean;
  grant: number;
  shownMs: number;
  /** The attempts; the nonce of the call if there are none. 0 is the attempt that began with this nonce. */
  attempts: number[];
}

function claimOf({ workerId, fencingToken, untilMs }: Grant, { shownMs }: LeaseStep): LeaseClaim {
  return { workerId, fencingToken, untilMs: untilMs + shownMs };
}

/** A real server whose clock the test decides, and whose fields it can write. */
export interface VirtualCounterpart {
  readonly store: Pick<LeaseStore, 'lease' | 'release'>;
  /** Everything that is stored, in the form of the in-memory registry. */
  fields(): Promise<Record<string, string>>;
  replaceFields(fields: Readonly<Record<string, string>>): Promise<void>;
  write(field: string, value: string): Promise<void>;
}

/** The model and a real server, given the same calls. */
export abstract class ModelPair {
  readonly model = new MemoryRegistry();
  readonly outcomes = new Set<string>();
  lastReply?: LeaseReply;
  protected nowMs = START_MS;
  private readonly grants: Grant[] = [];
  private copy: Map<string, string> = new Map();

  constructor(
    private readonly counterpart: VirtualCounterpart,
    private readonly range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {}

  /** Clock and history of the server, as input of the model. */
  protected abstract serverState(): ServerState;
  /** Tells the server of the same clock and history. */
  protected abstract setServerState(): Promise<void>;
  /** Something was lost, and there is a sign of it. */
  protected abstract announceLoss(): Promise<void>;

  /** What the server makes of a request before its rules apply. */
  protected asServed(request: LeaseRequest): LeaseRequest {
    return request;
  }

  /** What a field holds when `value` damages it. */
  protected damaged(_field: string, _before: string, value: string): string {
    return value;
  }

  async prepare(fields: Record<string, string> = {}): Promise<void> {
    for (const [field, value] of Object.entries(fields)) this.model.fields.set(field, value);
    await this.counterpart.replaceFields(fields);
    await this.setServerState();
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.setServerState();
  }

  async lease(step: LeaseStep): Promise<void> {
    const grant = this.grants[step.grant % (this.grants.length || 1)];
    const request: LeaseRequest = {
      layout: step.isOtherLayout ? 'other' : 'own',
      ...this.range,
      windowMs: step.windowMs,
      maxSkewMs: step.maxSkewMs,
      nonce: `nonce${step.nonce}`,
      ...(step.attempts.length > 0 && {
        attempts: step.attempts.map((attempt) =>
          attempt === 0 ? `nonce${step.nonce}` : `attempt${attempt}`,
        ),
      }),
      retry: step.retry,
      assumeNew: step.trust,
      ignoreLoss: step.ignoreLoss,
      searchSeed: step.searchSeed,
      preferLongestOffline: step.preferLongestOffline,
      ...(step.shows && grant ? { claim: claimOf(grant, step) } : {}),
    };
    const expected = this.model.lease(this.asServed(request), this.serverState());
    this.outcomes.add(expected.outcome);
    this.lastReply = expected;
    if (expected.outcome === 'new') this.grants.push(expected);
    // The claim before the renewal can be shown again, as by a copy of its holder.
    if (expected.outcome === 'kept' && request.claim) this.grants.push({ ...request.claim, ...expected });
    expect(await this.counterpart.store.lease(request)).toEqual(expected);
    await this.compare();
  }

  async release(index: number, lastUsedMs: number): Promise<void> {
    const grant = this.grants[index % (this.grants.length || 1)];
    if (!grant) return;
    const request = { ...grant, lastUsedMs: this.nowMs + lastUsedMs };
    const expected = this.model.release(request);
    this.outcomes.add(expected.outcome);
    expect(await this.counterpart.store.release(request)).toEqual(expected);
    await this.compare();
  }

  /** Damages one field for the length of one call. */
  async damage(index: number, value: string, step: LeaseStep): Promise<void> {
    const names = [...this.model.fields.keys()].sort();
    const field = names[index % (names.length || 1)];
    if (field === undefined) return;
    const before = this.model.fields.get(field) ?? '';
    await this.write(field, this.damaged(field, before, value));
    await this.lease(step);
    await this.write(field, before);
  }

  /** The server continues with an earlier copy (or without data), with or without a sign of it. */
  async lose(kind: 'copy' | 'all' | 'nothing', isSeen: boolean): Promise<void> {
    if (kind !== 'nothing') {
      const kept = kind === 'copy' ? this.copy : new Map<string, string>();
      this.model.wipe();
      for (const [field, value] of kept) this.model.fields.set(field, value);
      await this.counterpart.replaceFields(Object.fromEntries(kept));
    }
    if (isSeen) await this.announceLoss();
    await this.setServerState();
  }

  remember(): void {
    this.copy = new Map(this.model.fields);
  }

  async write(field: string, value: string): Promise<void> {
    this.model.fields.set(field, value);
    await this.counterpart.write(field, value);
  }

  private async compare(): Promise<void> {
    expect(await this.counterpart.fields()).toEqual(Object.fromEntries(this.model.fields));
  }
}
