import type { LeaseClaim, LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import type { RegistryHeader, StoredRow } from '../registry-format.js';
import { deedOf, fromOfDeed, readWholeNumber, writeRow } from '../registry-format.js';
import { searchLength } from '../search-limit.js';
import { storedRow, storedRows, Unreadable, type WorkerRow } from './stored-row.js';

/** What a call sees of the server that executes it. */
export interface ServerState {
  /** The server's clock, whole Unix milliseconds. */
  readonly nowMs: number;
  /** Identity of the server's history. Another one than the stored one means that grants may have been lost. */
  readonly reign: string;
}

/** The numbers of the header, as one call works with them. */
interface Header {
  floorMs: number;
  floorReason: 'empty' | 'reign';
  fresh: number;
}

/**
 * One execution of `lease`. Changes are gathered and written at the end, all or nothing.
 *
 * The protected methods are the decisions that uniqueness rests on. They stand by themselves so that tests can take
 * one away and see what becomes of IDs without it.
 */
export class LeaseCall {
  private readonly changes = new Map<string, string>();
  private readonly storeNowMs: number;
  /** The longest that anybody has said: who makes the floor need not be who knows it best. */
  private maxSkewMs: number;

  constructor(
    protected readonly fields: Map<string, string>,
    private readonly request: LeaseRequest,
    protected readonly server: ServerState,
  ) {
    this.storeNowMs = server.nowMs;
    this.maxSkewMs = request.maxSkewMs;
  }

  run(): LeaseReply {
    const storedLayout = this.field('layout');
    if (storedLayout !== undefined && storedLayout !== this.request.layout) {
      return { outcome: 'layout', storedLayout };
    }
    const header = this.readHeader(storedLayout !== undefined);
    const { floorMs } = header;
    const reply =
      this.renew(this.request.claim, floorMs) ?? this.repeatGrant(floorMs) ?? this.acquire(header);
    for (const [field, value] of this.changes) this.fields.set(field, value);
    return reply;
  }

  private field(name: keyof RegistryHeader): string | undefined {
    return this.fields.get(name);
  }

  private set(name: keyof RegistryHeader, value: string | number): void {
    this.changes.set(name, String(value));
  }

  private headerNumber(name: keyof RegistryHeader, isKnown: boolean): number | undefined {
    const value = readWholeNumber(this.field(name));
    if (value === undefined && (isKnown || this.field(name) !== undefined)) {
      throw new Unreadable(name, this.field(name) ?? '');
    }
    return value;
  }

  private readHeader(isKnown: boolean): Header {
    const floorMs = this.headerNumber('floor', isKnown);
    const longestWindowMs = this.headerNumber('window', isKnown);
    const fresh = this.headerNumber('fresh', isKnown);
    this.keepLongestSkew();
    const isSameReign = isKnown && this.field('reign') === this.server.reign;
    if (isSameReign && floorMs !== undefined && longestWindowMs !== undefined && fresh !== undefined) {
      if (this.request.windowMs > longestWindowMs) this.set('window', this.request.windowMs);
      return { floorMs, fresh, floorReason: this.field('floorReason') === 'reign' ? 'reign' : 'empty' };
    }
    return this.beginReign(isKnown, floorMs ?? 0, longestWindowMs ?? 0, fresh ?? 0);
  }

  private keepLongestSkew(): void {
    const storedMs = this.headerNumber('maxSkew', false) ?? -1;
    if (storedMs >= this.maxSkewMs) this.maxSkewMs = storedMs;
    else this.set('maxSkew', this.maxSkewMs);
  }

  private beginReign(isKnown: boolean, floorMs: number, longestWindowMs: number, fresh: number): Header {
    const { layout, windowMs, firstWorkerId } = this.request;
    const floorAfterLossMs = this.floorAfterLoss(Math.max(longestWindowMs, windowMs));
    const header: Header = {
      floorMs: this.mayTrust() ? this.storeNowMs - 1 : Math.max(floorMs, floorAfterLossMs),
      floorReason: isKnown ? 'reign' : 'empty',
      fresh: Math.max(fresh, firstWorkerId),
    };
    this.set('layout', layout);
    this.set('reign', this.server.reign);
    this.set('floor', header.floorMs);
    this.set('floorReason', header.floorReason);
    this.set('window', windowMs);
    this.set('fresh', header.fresh);
    return header;
  }

  private mayTrust(): boolean {
    const names = ['layout', 'reign', 'floor', 'floorReason', 'window', 'fresh', 'maxSkew'] as const;
    const isEmpty = names.every((name) => this.field(name) === undefined);
    return isEmpty && this.request.trustEmptyRegistry && !this.request.claim;
  }

  /** No grant that a lost history has given ends later. */
  protected floorAfterLoss(longestWindowMs: number): number {
    return this.storeNowMs + longestWindowMs + this.maxSkewMs;
  }

  /** The row to compare a claim with. An absent one agrees: a holder carries its claim across a wiped registry. */
  protected rowForClaim(claim: LeaseClaim): StoredRow | undefined {
    return storedRow(this.fields, claim.workerId) ?? { reservedUntilMs: 0, deed: claim.deed };
  }

  protected isSameDeed(stored: string, shown: string): boolean {
    return stored === shown;
  }

  /**
   * Whether nobody else has been granted the worker ID of a lease. An end that lies maxSkew ahead was not passed by any
   * clock. A row that ends above the floor, as no grant of a lost history does, is of this one, which is all there.
   */
  protected isRunning(reachMs: number, reservedUntilMs: number, floorMs: number): boolean {
    const isOfThisHistory = reservedUntilMs > floorMs && reservedUntilMs >= this.storeNowMs;
    return reachMs - this.maxSkewMs >= this.storeNowMs || isOfThisHistory;
  }

  private renew(claim: LeaseClaim | undefined, floorMs: number): LeaseReply | undefined {
    const { firstWorkerId, workerCount, windowMs } = this.request;
    if (!claim || claim.workerId < firstWorkerId || claim.workerId >= firstWorkerId + workerCount)
      return undefined;
    const row = this.rowForClaim(claim);
    if (!row || !this.isSameDeed(row.deed, claim.deed)) return undefined;
    const reachMs = Math.max(row.reservedUntilMs, claim.untilMs);
    if (!this.isRunning(reachMs, row.reservedUntilMs, floorMs)) return undefined;
    const untilMs = Math.max(reachMs, this.storeNowMs + windowMs);
    this.changes.set(String(claim.workerId), writeRow({ reservedUntilMs: untilMs, deed: row.deed }));
    return { outcome: 'kept', untilMs, storeNowMs: this.storeNowMs };
  }

  private repeatGrant(floorMs: number): LeaseReply | undefined {
    const { retry, nonce } = this.request;
    if (!retry) return undefined;
    const mine = storedRows(this.fields, this.request)
      .filter(({ deed }) => deed.startsWith(`${nonce}@`) && fromOfDeed(deed) !== undefined)
      .sort((a, b) => b.reservedUntilMs - a.reservedUntilMs || a.workerId - b.workerId)[0];
    if (!mine || !this.isRunning(mine.reservedUntilMs, mine.reservedUntilMs, floorMs)) return undefined;
    const { workerId, deed, reservedUntilMs: untilMs } = mine;
    const fromMs = fromOfDeed(deed) ?? 0;
    return { outcome: 'new', workerId, deed, fromMs, untilMs, storeNowMs: this.storeNowMs };
  }

  private acquire(header: Header): LeaseReply {
    const storeNowMs = this.storeNowMs;
    if (storeNowMs <= header.floorMs) {
      const waitMs = Math.max(1, header.floorMs - storeNowMs);
      return { outcome: 'wait', waitMs, reason: header.floorReason, storeNowMs };
    }
    const { preferOffline } = this.request;
    const offline = preferOffline ? this.longestOffline(header) : undefined;
    return offline ?? this.acquireFresh(header) ?? this.longestOffline(header) ?? this.full(header);
  }

  /** The first worker ID from `fresh` on that has no row: some were carried here by holders from a lost history. */
  private acquireFresh(header: Header): LeaseReply | undefined {
    const { firstWorkerId, workerCount } = this.request;
    const beyond = firstWorkerId + workerCount;
    const longest = searchLength(workerCount);
    let neverUsed = Math.max(header.fresh, firstWorkerId);
    let probes = 0;
    while (neverUsed < beyond && probes < longest && this.fields.has(String(neverUsed))) {
      neverUsed += 1;
      probes += 1;
    }
    if (neverUsed < beyond && probes < longest) {
      this.set('fresh', neverUsed + 1);
      return this.grant(neverUsed, header.floorMs);
    }
    if (neverUsed > header.fresh) this.set('fresh', neverUsed);
    header.fresh = neverUsed;
    return undefined;
  }

  private longestOffline(header: Header): LeaseReply | undefined {
    const [first] = this.byEnd();
    if (!first || first.reservedUntilMs >= this.storeNowMs) return undefined;
    return this.grant(first.workerId, Math.max(first.reservedUntilMs, header.floorMs));
  }

  private full({ fresh }: Header): LeaseReply {
    const { storeNowMs } = this;
    const hasUnprobed = fresh < this.request.firstWorkerId + this.request.workerCount;
    const nextFreeMs = hasUnprobed ? storeNowMs : (this.byEnd()[0]?.reservedUntilMs ?? storeNowMs);
    return { outcome: 'full', nextFreeInMs: Math.max(1, nextFreeMs - storeNowMs), storeNowMs };
  }

  private byEnd(): WorkerRow[] {
    return storedRows(this.fields, this.request).sort(
      (a, b) => a.reservedUntilMs - b.reservedUntilMs || a.workerId - b.workerId,
    );
  }

  private grant(workerId: number, fromMs: number): LeaseReply {
    const untilMs = this.storeNowMs + this.request.windowMs;
    const deed = deedOf(this.request.nonce, fromMs);
    this.changes.set(String(workerId), writeRow({ reservedUntilMs: untilMs, deed }));
    return { outcome: 'new', workerId, deed, fromMs, untilMs, storeNowMs: this.storeNowMs };
  }
}
