import type { LeaseReply, LeaseRequest } from '../../../../libs/snowflake/src/lease/lease-store.js';
import { MemoryRegistry } from '../../../../libs/snowflake/src/stores/memory/index.js';
import type { VirtualDatabase } from './virtual-database.js';

type Grant = Pick<Extract<LeaseReply, { outcome: 'new' }>, 'workerId' | 'deed' | 'untilMs'>;

export const START_MS = Date.UTC(2026, 0, 1);
export const WINDOW_MS = 6000;
export const MAX_SKEW_MS = 500;
/** What the store writes for the one history that a database has. */
const REIGN = 'sql';

/** One call of `lease`. */
export interface LeaseStep {
  nonce: number;
  retry: boolean;
  trust: boolean;
  preferOffline: boolean;
  windowMs: number;
  isOtherLayout: boolean;
  /** Whether a claim is shown, which of the earlier grants it is of, and how far its end is off. */
  shows: boolean;
  grant: number;
  shownMs: number;
}

/** The model and the database, given the same calls. */
export class Pair {
  readonly model = new MemoryRegistry();
  readonly outcomes = new Set<string>();
  lastReply?: LeaseReply;
  private readonly grants: Grant[] = [];
  private copy: Map<string, string> = new Map();
  private nowMs = START_MS;

  constructor(
    private readonly virtual: VirtualDatabase,
    private readonly range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>,
  ) {}

  async prepare(): Promise<void> {
    await this.virtual.replaceFields({});
    await this.virtual.setClock(this.nowMs);
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.virtual.setClock(this.nowMs);
  }

  async lease(step: LeaseStep): Promise<void> {
    const grant = this.grants[step.grant % (this.grants.length || 1)];
    const request: LeaseRequest = {
      layout: step.isOtherLayout ? 'other' : 'own',
      ...this.range,
      windowMs: step.windowMs,
      maxSkewMs: MAX_SKEW_MS,
      nonce: `nonce${step.nonce}`,
      retry: step.retry,
      trustEmptyRegistry: step.trust,
      searchSeed: 0,
      preferOffline: step.preferOffline,
      ...(step.shows && grant ? { claim: { ...grant, untilMs: grant.untilMs + step.shownMs } } : {}),
    };
    // A namespace of which nothing is stored is new in a database, whatever the caller says.
    const server = { nowMs: this.nowMs, reign: REIGN };
    const expected = this.model.lease({ ...request, trustEmptyRegistry: true }, server);
    this.outcomes.add(expected.outcome);
    this.lastReply = expected;
    if (expected.outcome === 'new') this.grants.push(expected);
    expect(await this.virtual.store.lease(request)).toEqual(expected);
    await this.compare();
  }

  async release(index: number, lastUsedMs: number): Promise<void> {
    const grant = this.grants[index % (this.grants.length || 1)];
    if (!grant) return;
    const request = { ...grant, lastUsedMs: this.nowMs + lastUsedMs };
    const expected = this.model.release(request);
    this.outcomes.add(expected.outcome);
    expect(await this.virtual.store.release(request)).toEqual(expected);
    await this.compare();
  }

  /** Damages one field for the length of one call. */
  async damage(index: number, value: string, step: LeaseStep): Promise<void> {
    const names = [...this.model.fields.keys()].sort();
    const field = names[index % (names.length || 1)];
    if (field === undefined) return;
    const before = this.model.fields.get(field) ?? '';
    await this.write(field, /^\d+$/.test(field) ? before.replace(/^\d+/, value) : value);
    await this.lease(step);
    await this.write(field, before);
  }

  /** An older state is put back, or none; the operator says so, or forgets to. */
  async lose(kind: 'copy' | 'all' | 'nothing', isSaid: boolean): Promise<void> {
    if (kind !== 'nothing') {
      const kept = kind === 'copy' ? this.copy : new Map<string, string>();
      this.model.wipe();
      for (const [field, value] of kept) this.model.fields.set(field, value);
      await this.virtual.replaceFields(Object.fromEntries(kept));
    }
    if (isSaid && this.model.fields.has('reign')) await this.write('reign', 'restored');
  }

  remember(): void {
    this.copy = new Map(this.model.fields);
  }

  private async write(field: string, value: string): Promise<void> {
    this.model.fields.set(field, value);
    await this.virtual.write(field, value);
  }

  private async compare(): Promise<void> {
    expect(await this.virtual.fields()).toEqual(Object.fromEntries(this.model.fields));
  }
}
