import type { LeaseClaim, LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import type { RegistryHeader, StoredRow } from '../registry-format.js';
import { deedOf, fromOfDeed, readWholeNumber } from '../registry-format.js';
import { searchLength } from '../search-limit.js';
import { type RegistryChanges, type ServerState, Unreadable } from './lease-registry.js';
import { ask, type Asking } from './questions.js';

type Field = keyof RegistryHeader;

/** The numbers of the header, as one call works with them. */
interface Header {
  readonly floorMs: number;
  readonly floorReason: 'empty' | 'reign';
  fresh: number;
}

const HEADER_FIELDS: readonly Field[] = [
  'layout',
  'reign',
  'floor',
  'floorReason',
  'window',
  'fresh',
  'maxSkew',
];

/**
 * One execution of `lease`. Changes are gathered and written at the end, all or nothing. The Lua script is its twin,
 * step by step.
 *
 * The protected methods are the decisions that uniqueness rests on. They stand by themselves so that tests can take
 * one away and see what becomes of IDs without it.
 */
export class LeaseCall {
  private readonly changes = new Map<Field, string>();
  private row?: Pick<RegistryChanges, 'row' | 'before'>;
  private stored: RegistryHeader = {};
  protected server: ServerState = { nowMs: 0, reign: '' };
  /** The longest that anybody has said: who makes the floor need not be who knows it best. */
  private maxSkewMs: number;

  constructor(private readonly request: LeaseRequest) {
    this.maxSkewMs = request.maxSkewMs;
  }

  *run(): Asking<LeaseReply> {
    this.stored = yield* ask('header');
    this.server = yield* ask('server');
    const { layout } = this.stored;
    if (layout !== undefined && layout !== this.request.layout) {
      return { outcome: 'layout', storedLayout: layout };
    }
    const header = yield* this.readHeader(layout !== undefined);
    const reply =
      (yield* this.renew(this.request.claim, header)) ??
      (yield* this.repeatGrant(header)) ??
      (yield* this.acquire(header));
    if (this.changes.size > 0 || this.row) yield* ask('write', { header: this.changes, ...this.row });
    return reply;
  }

  private set(name: Field, value: string | number): void {
    this.changes.set(name, String(value));
  }

  private headerNumber(name: Field, isKnown: boolean): number | undefined {
    const text = this.stored[name];
    const value = readWholeNumber(text);
    if (value === undefined && (isKnown || text !== undefined)) throw new Unreadable(name, text ?? '');
    return value;
  }

  private *readHeader(isKnown: boolean): Asking<Header> {
    const floorMs = this.headerNumber('floor', isKnown);
    const storedWindowMs = this.headerNumber('window', isKnown);
    const fresh = this.headerNumber('fresh', isKnown);
    this.keepLongestSkew();
    const longestWindowMs = this.keepLongestWindow(storedWindowMs);
    const isSameReign = isKnown && this.stored.reign === this.server.reign;
    if (isSameReign && floorMs !== undefined && fresh !== undefined) {
      return { floorMs, fresh, floorReason: this.stored.floorReason === 'reign' ? 'reign' : 'empty' };
    }
    return yield* this.beginReign(isKnown, floorMs ?? 0, longestWindowMs, fresh ?? 0);
  }

  private keepLongestSkew(): void {
    const storedMs = this.headerNumber('maxSkew', false) ?? -1;
    if (storedMs >= this.maxSkewMs) this.maxSkewMs = storedMs;
    else this.set('maxSkew', this.maxSkewMs);
  }

  /** It outlives the history: a lease that was forgotten twice may still be running. */
  protected keepLongestWindow(storedMs = 0): number {
    const { windowMs } = this.request;
    if (windowMs > storedMs) this.set('window', windowMs);
    return Math.max(windowMs, storedMs);
  }

  private *beginReign(
    isKnown: boolean,
    floorMs: number,
    longestWindowMs: number,
    fresh: number,
  ): Asking<Header> {
    const { layout, firstWorkerId } = this.request;
    const mayTrust = yield* this.mayTrust();
    const header: Header = {
      floorMs: mayTrust ? this.server.nowMs - 1 : Math.max(floorMs, this.floorAfterLoss(longestWindowMs)),
      floorReason: isKnown ? 'reign' : 'empty',
      fresh: Math.max(fresh, firstWorkerId),
    };
    this.set('layout', layout);
    this.set('reign', this.server.reign);
    this.set('floor', header.floorMs);
    this.set('floorReason', header.floorReason);
    this.set('fresh', header.fresh);
    return header;
  }

  /** A claim shows that the namespace is not new. */
  private *mayTrust(): Asking<boolean> {
    const isEmpty = HEADER_FIELDS.every((name) => this.stored[name] === undefined);
    return isEmpty && !this.request.claim && (yield* ask('isNew', this.request));
  }

  /** No grant that a lost history has given ends later. */
  protected floorAfterLoss(longestWindowMs: number): number {
    return this.server.nowMs + longestWindowMs + this.maxSkewMs;
  }

  /** The row to compare a claim with. An absent one agrees: a holder carries its claim across a wiped registry. */
  protected rowForClaim(claim: LeaseClaim, stored: StoredRow | undefined): StoredRow | undefined {
    return stored ?? { reservedUntilMs: 0, deed: claim.deed };
  }

  protected isSameDeed(stored: string, shown: string): boolean {
    return stored === shown;
  }

  /**
   * Whether nobody else has been granted the worker ID of a lease. An end that lies maxSkew ahead was not passed by any
   * clock. A row that ends above the floor, as no grant of a lost history does, is of this one, which is all there.
   */
  protected isRunning(reachMs: number, reservedUntilMs: number, floorMs: number): boolean {
    const isOfThisHistory = reservedUntilMs > floorMs && reservedUntilMs >= this.server.nowMs;
    return reachMs - this.maxSkewMs >= this.server.nowMs || isOfThisHistory;
  }

  private *renew(claim: LeaseClaim | undefined, { floorMs }: Header): Asking<LeaseReply | undefined> {
    const { firstWorkerId, workerCount, windowMs } = this.request;
    if (!claim || claim.workerId < firstWorkerId || claim.workerId >= firstWorkerId + workerCount)
      return undefined;
    const { workerId } = claim;
    const before = yield* ask('row', workerId);
    const row = this.rowForClaim(claim, before);
    if (!row || !this.isSameDeed(row.deed, claim.deed)) return undefined;
    const reachMs = Math.max(row.reservedUntilMs, claim.untilMs);
    if (!this.isRunning(reachMs, row.reservedUntilMs, floorMs)) return undefined;
    const untilMs = Math.max(reachMs, this.server.nowMs + windowMs);
    this.row = { row: { workerId, reservedUntilMs: untilMs, deed: row.deed }, before };
    return { outcome: 'kept', untilMs, storeNowMs: this.server.nowMs };
  }

  private *repeatGrant({ floorMs }: Header): Asking<LeaseReply | undefined> {
    if (!this.request.retry) return undefined;
    const [mine] = [...(yield* ask('grantsOf', this.request))]
      .filter(({ deed }) => fromOfDeed(deed) !== undefined)
      .sort((a, b) => b.reservedUntilMs - a.reservedUntilMs || a.workerId - b.workerId);
    if (!mine || !this.isRunning(mine.reservedUntilMs, mine.reservedUntilMs, floorMs)) return undefined;
    const { workerId, deed, reservedUntilMs: untilMs } = mine;
    const fromMs = fromOfDeed(deed) ?? 0;
    return { outcome: 'new', workerId, deed, fromMs, untilMs, storeNowMs: this.server.nowMs };
  }

  private *acquire(header: Header): Asking<LeaseReply> {
    const storeNowMs = this.server.nowMs;
    if (storeNowMs <= header.floorMs) {
      const waitMs = Math.max(1, header.floorMs - storeNowMs);
      return { outcome: 'wait', waitMs, reason: header.floorReason, storeNowMs };
    }
    const offline = this.request.preferOffline ? yield* this.longestOffline(header) : undefined;
    return (
      offline ??
      (yield* this.acquireFresh(header)) ??
      (yield* this.longestOffline(header)) ??
      (yield* this.full(header))
    );
  }

  /** The first worker ID from `fresh` on that has no row: some were carried here by holders from a lost history. */
  private *acquireFresh(header: Header): Asking<LeaseReply | undefined> {
    const { firstWorkerId, workerCount } = this.request;
    const beyond = firstWorkerId + workerCount;
    const first = Math.max(header.fresh, firstWorkerId);
    const longest = Math.min(searchLength(workerCount), beyond - first);
    const used = longest > 0 ? yield* ask('usedInARow', first, longest) : 0;
    const neverUsed = first + used;
    if (used < longest) {
      this.set('fresh', neverUsed + 1);
      return this.grant(neverUsed, header.floorMs);
    }
    if (neverUsed > header.fresh) this.set('fresh', neverUsed);
    header.fresh = neverUsed;
    return undefined;
  }

  private *longestOffline(header: Header): Asking<LeaseReply | undefined> {
    const first = yield* ask('earliest', this.request);
    if (!first || first.reservedUntilMs >= this.server.nowMs) return undefined;
    return this.grant(first.workerId, Math.max(first.reservedUntilMs, header.floorMs), first);
  }

  private *full({ fresh }: Header): Asking<LeaseReply> {
    const storeNowMs = this.server.nowMs;
    const hasUnprobed = fresh < this.request.firstWorkerId + this.request.workerCount;
    const earliest = hasUnprobed ? undefined : yield* ask('earliest', this.request);
    const nextFreeMs = earliest?.reservedUntilMs ?? storeNowMs;
    return { outcome: 'full', nextFreeInMs: Math.max(1, nextFreeMs - storeNowMs), storeNowMs };
  }

  private grant(workerId: number, fromMs: number, before?: StoredRow): LeaseReply {
    const untilMs = this.server.nowMs + this.request.windowMs;
    const deed = deedOf(this.request.nonce, fromMs);
    this.row = { row: { workerId, reservedUntilMs: untilMs, deed }, before };
    return { outcome: 'new', workerId, deed, fromMs, untilMs, storeNowMs: this.server.nowMs };
  }
}
