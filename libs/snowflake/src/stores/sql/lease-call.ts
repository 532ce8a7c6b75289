import type { LeaseClaim, LeaseReply, LeaseRequest } from '../../lease/lease-store.js';
import type { RegistryHeader } from '../registry-format.js';
import { deedOf, fromOfDeed, readWholeNumber } from '../registry-format.js';
import { searchLength } from '../search-limit.js';
import type { SqlRegistry, WorkerRange, WorkerRow } from './sql-registry.js';
import { Unreadable } from './unreadable.js';

/** The numbers of the header, as one call works with them. */
interface Header {
  readonly floorMs: number;
  readonly floorReason: 'empty' | 'reign';
  readonly fresh: number;
}

/**
 * A database keeps what was committed, so its history is one reign for ever. An operator who puts an older state back
 * writes another word into the column; the next call then takes the history for one that has forgotten grants.
 */
const REIGN = 'sql';

/**
 * One execution of `lease`, within a transaction that keeps all other calls of the namespace out. Decides as the
 * in-memory registry does, which is the reference. Changes are gathered and written at the end.
 */
export class LeaseCall {
  private readonly changes = new Map<keyof RegistryHeader, string>();
  /** The row that is written, and as it was read. */
  private change?: { readonly row: WorkerRow; readonly before: WorkerRow | undefined };
  private readonly range: WorkerRange;
  private storeNowMs = 0;
  /** The longest that anybody has said: who makes the floor need not be who knows it best. */
  private maxSkewMs: number;

  constructor(
    private readonly registry: SqlRegistry,
    private readonly request: LeaseRequest,
  ) {
    const { firstWorkerId: first, workerCount } = request;
    this.maxSkewMs = request.maxSkewMs;
    this.range = { first, beyond: first + workerCount };
  }

  async run(): Promise<LeaseReply> {
    const stored = await this.lockedHeader();
    // Only now: the wait for the lock may have been long.
    this.storeNowMs = await this.registry.readClock();
    if (stored.layout !== undefined && stored.layout !== this.request.layout) {
      return { outcome: 'layout', storedLayout: stored.layout };
    }
    const header = await this.readHeader(stored);
    const reply =
      (await this.renew(this.request.claim, header)) ??
      (await this.repeatGrant(header)) ??
      (await this.acquire(header));
    await this.registry.writeHeader(this.changes);
    if (this.change) await this.registry.writeRow(this.change.row, this.change.before);
    return reply;
  }

  private async lockedHeader(): Promise<RegistryHeader> {
    const header = await this.registry.lock();
    if (header) return header;
    await this.registry.addNamespace();
    return (await this.registry.lock()) ?? {};
  }

  private async readHeader(stored: RegistryHeader): Promise<Header> {
    const isKnown = stored.layout !== undefined;
    const number = (name: keyof RegistryHeader): number | undefined => {
      const value = readWholeNumber(stored[name]);
      if (value === undefined && (isKnown || stored[name] !== undefined)) {
        throw new Unreadable(name, stored[name] ?? '');
      }
      return value;
    };
    const floorMs = number('floor');
    const longestWindowMs = number('window');
    const fresh = number('fresh');
    this.keepLongestSkew(stored);
    const isSameReign = isKnown && stored.reign === REIGN;
    if (isSameReign && floorMs !== undefined && longestWindowMs !== undefined && fresh !== undefined) {
      if (this.request.windowMs > longestWindowMs) this.set('window', this.request.windowMs);
      return { floorMs, fresh, floorReason: stored.floorReason === 'reign' ? 'reign' : 'empty' };
    }
    const { layout, windowMs, firstWorkerId } = this.request;
    const floorAfterLossMs = this.storeNowMs + Math.max(longestWindowMs ?? 0, windowMs) + this.maxSkewMs;
    const header: Header = {
      floorMs: (await this.isNew(stored)) ? this.storeNowMs - 1 : Math.max(floorMs ?? 0, floorAfterLossMs),
      floorReason: isKnown ? 'reign' : 'empty',
      fresh: Math.max(fresh ?? 0, firstWorkerId),
    };
    this.set('layout', layout);
    this.set('reign', REIGN);
    this.set('floor', header.floorMs);
    this.set('floorReason', header.floorReason);
    this.set('window', windowMs);
    this.set('fresh', header.fresh);
    return header;
  }

  private keepLongestSkew({ maxSkew }: RegistryHeader): void {
    const storedMs = readWholeNumber(maxSkew);
    if (maxSkew !== undefined && storedMs === undefined) throw new Unreadable('maxSkew', maxSkew);
    if (storedMs !== undefined && storedMs >= this.maxSkewMs) this.maxSkewMs = storedMs;
    else this.set('maxSkew', this.maxSkewMs);
  }

  /**
   * Nothing deletes a namespace but an operator, so one of which nothing is stored is new. Whoever shows a claim has
   * seen it before, and so has whoever left a row.
   */
  private async isNew(stored: RegistryHeader): Promise<boolean> {
    const isEmpty = Object.keys(stored).length === 0;
    return isEmpty && !this.request.claim && !(await this.registry.hasRows());
  }

  private set(name: keyof RegistryHeader, value: string | number): void {
    this.changes.set(name, String(value));
  }

  /**
   * Whether nobody else has been granted the worker ID of a lease. An end that lies maxSkew ahead was not passed by any
   * clock. A row that ends above the floor, as no grant of a lost history does, is of this one, which is all there.
   */
  private isRunning(reachMs: number, reservedUntilMs: number, { floorMs }: Header): boolean {
    const isOfThisHistory = reservedUntilMs > floorMs && reservedUntilMs >= this.storeNowMs;
    return reachMs - this.maxSkewMs >= this.storeNowMs || isOfThisHistory;
  }

  private async renew(claim: LeaseClaim | undefined, header: Header): Promise<LeaseReply | undefined> {
    if (!claim || claim.workerId < this.range.first || claim.workerId >= this.range.beyond) return undefined;
    const { workerId, deed } = claim;
    const before = await this.registry.row(workerId);
    const row = before ?? { workerId, deed, reservedUntilMs: 0 };
    const reachMs = Math.max(row.reservedUntilMs, claim.untilMs);
    if (row.deed !== deed || !this.isRunning(reachMs, row.reservedUntilMs, header)) return undefined;
    const untilMs = Math.max(reachMs, this.storeNowMs + this.request.windowMs);
    this.change = { row: { workerId, deed, reservedUntilMs: untilMs }, before };
    return { outcome: 'kept', untilMs, storeNowMs: this.storeNowMs };
  }

  private async repeatGrant(header: Header): Promise<LeaseReply | undefined> {
    const { retry, nonce } = this.request;
    if (!retry) return undefined;
    await this.search();
    const [mine] = (await this.registry.rowsOfDeeds(this.range, `${nonce}@`))
      .filter(({ deed }) => fromOfDeed(deed) !== undefined)
      .sort((a, b) => b.reservedUntilMs - a.reservedUntilMs || a.workerId - b.workerId);
    if (!mine || !this.isRunning(mine.reservedUntilMs, mine.reservedUntilMs, header)) return undefined;
    const { workerId, deed, reservedUntilMs: untilMs } = mine;
    const fromMs = fromOfDeed(deed) ?? 0;
    return { outcome: 'new', workerId, deed, fromMs, untilMs, storeNowMs: this.storeNowMs };
  }

  private async acquire(header: Header): Promise<LeaseReply> {
    const { storeNowMs } = this;
    if (storeNowMs <= header.floorMs) {
      const waitMs = Math.max(1, header.floorMs - storeNowMs);
      return { outcome: 'wait', waitMs, reason: header.floorReason, storeNowMs };
    }
    const used = this.request.preferOffline ? await this.longestOffline(header) : undefined;
    return (
      used ?? (await this.acquireFresh(header)) ?? (await this.longestOffline(header)) ?? (await this.full())
    );
  }

  /** The first worker ID from `fresh` on that has no row: some were carried here by holders from a lost history. */
  private async acquireFresh(header: Header): Promise<LeaseReply | undefined> {
    const { beyond } = this.range;
    const longest = searchLength(this.request.workerCount);
    const first = Math.max(header.fresh, this.range.first);
    const used = await this.registry.usedWorkerIds({ first, beyond }, longest);
    const gap = used.findIndex((workerId, index) => workerId !== first + index);
    const probes = gap === -1 ? used.length : gap;
    const neverUsed = first + probes;
    if (neverUsed < beyond && probes < longest) {
      this.set('fresh', neverUsed + 1);
      return this.grant(neverUsed, header.floorMs);
    }
    if (neverUsed > header.fresh) this.set('fresh', neverUsed);
    return undefined;
  }

  private async longestOffline(header: Header): Promise<LeaseReply | undefined> {
    const earliest = await this.search();
    if (!earliest || earliest.reservedUntilMs >= this.storeNowMs) return undefined;
    return this.grant(earliest.workerId, Math.max(earliest.reservedUntilMs, header.floorMs), earliest);
  }

  private async full(): Promise<LeaseReply> {
    const { storeNowMs } = this;
    const earliest = await this.search();
    const hasUnprobed = Number(this.changes.get('fresh') ?? this.range.beyond) < this.range.beyond;
    const nextFreeMs = hasUnprobed ? storeNowMs : (earliest?.reservedUntilMs ?? storeNowMs);
    return { outcome: 'full', nextFreeInMs: Math.max(1, nextFreeMs - storeNowMs), storeNowMs };
  }

  /**
   * The row whose window ends, or ended, first: by the index, so among all worker IDs, however many there are. One that
   * cannot be read is at either end of it.
   */
  private async search(): Promise<WorkerRow | undefined> {
    await this.registry.latest(this.range);
    return this.registry.earliest(this.range);
  }

  private grant(workerId: number, fromMs: number, before?: WorkerRow): LeaseReply {
    const { storeNowMs } = this;
    const untilMs = storeNowMs + this.request.windowMs;
    const deed = deedOf(this.request.nonce, fromMs);
    this.change = { row: { workerId, deed, reservedUntilMs: untilMs }, before };
    return { outcome: 'new', workerId, deed, fromMs, untilMs, storeNowMs };
  }
}
