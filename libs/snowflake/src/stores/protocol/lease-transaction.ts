import { attemptsOf, fencingTokenOf, fromOfFencingToken, renewedToken } from '../../lease/fencing-token.js';
import type {
  LeaseClaim,
  LeaseReply,
  LeaseRequest,
  ReleaseReply,
  ReleaseRequest,
} from '../../lease/lease-store.js';
import { DECLARED_NEW, readWholeNumber, type RegistryHeader, type StoredRow } from '../registry-format.js';
import { searchLength } from '../search-limit.js';
import { LEASE_MECHANISMS, type LeaseMechanisms } from './lease-mechanisms.js';
import { type RegistryChanges, type ServerState, Unreadable, type WorkerRow } from './lease-registry.js';
import { call, type RegistryCalls } from './registry-calls.js';

type Field = keyof RegistryHeader;

/** The header fields that one call uses, as numbers. */
interface Header {
  grantsAfterMs: number;
  grantsAfterReason: 'empty' | 'history';
  fresh: number;
}

const HEADER_FIELDS: readonly Field[] = [
  'layout',
  'historyId',
  'grantsAfter',
  'grantsAfterReason',
  'window',
  'fresh',
  'maxSkew',
];

/**
 * One execution of `lease`. It collects its changes and writes them atomically at the end. The Lua script takes the same
 * steps.
 *
 * @param mechanisms the decisions that uniqueness depends on
 */
export function leaseTransaction(
  request: LeaseRequest,
  mechanisms: LeaseMechanisms = LEASE_MECHANISMS,
): RegistryCalls<LeaseReply> {
  return new LeaseTransaction(request, mechanisms).calls();
}

class LeaseTransaction {
  private readonly changes = new Map<Field, string>();
  private rowChange?: Pick<RegistryChanges, 'row' | 'before'>;
  private stored: RegistryHeader = {};
  private server: ServerState = { nowMs: 0, historyId: '' };
  /** The largest of all requests: the process that sets `grantsAfter` may have been configured with too small a value. */
  private maxSkewMs: number;
  private longestWindowMs = 0;
  private readonly attempts: readonly string[];

  constructor(
    private readonly request: LeaseRequest,
    private readonly mechanisms: LeaseMechanisms,
  ) {
    this.maxSkewMs = request.maxSkewMs;
    this.attempts = attemptsOf(request);
  }

  *calls(): RegistryCalls<LeaseReply> {
    this.stored = yield* call((registry) => registry.header());
    this.server = yield* call((registry) => registry.server());
    const { layout } = this.stored;
    if (layout !== undefined && layout !== this.request.layout) {
      return { outcome: 'layout', storedLayout: layout };
    }
    const header = yield* this.readHeader(layout !== undefined);
    const reply =
      (yield* this.renew(this.request.claim, header)) ??
      (yield* this.repeatGrant(header)) ??
      (yield* this.acquire(header));
    if (this.changes.size > 0 || this.rowChange)
      yield* call((registry) => registry.write({ header: this.changes, ...this.rowChange }));
    return reply;
  }

  private get attempt(): string {
    return this.attempts[0] ?? '';
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

  private *readHeader(isKnown: boolean): RegistryCalls<Header> {
    const grantsAfterMs = this.headerNumber('grantsAfter', isKnown);
    const storedWindowMs = this.headerNumber('window', isKnown);
    const fresh = this.headerNumber('fresh', isKnown);
    this.keepLongestSkew();
    this.longestWindowMs = this.keepLongestWindow(storedWindowMs);
    const isSameHistory = isKnown && this.stored.historyId === this.server.historyId;
    if (isSameHistory && grantsAfterMs !== undefined && fresh !== undefined) {
      const grantsAfterReason = this.stored.grantsAfterReason === 'history' ? 'history' : 'empty';
      return this.ignoreLoss({ grantsAfterMs, fresh, grantsAfterReason });
    }
    return yield* this.beginHistory(isKnown, grantsAfterMs ?? 0, fresh ?? 0);
  }

  private keepLongestSkew(): void {
    const storedMs = this.headerNumber('maxSkew', false) ?? -1;
    if (storedMs >= this.maxSkewMs) this.maxSkewMs = storedMs;
    else this.set('maxSkew', this.maxSkewMs);
  }

  private keepLongestWindow(storedMs = 0): number {
    const longestMs = this.mechanisms.longestWindowMs(this.request.windowMs, storedMs);
    if (longestMs !== storedMs) this.set('window', longestMs);
    return longestMs;
  }

  private *beginHistory(isKnown: boolean, grantsAfterMs: number, fresh: number): RegistryCalls<Header> {
    const { layout, firstWorkerId } = this.request;
    const mayTrust = yield* this.mayTrust();
    const { nowMs } = this.server;
    const afterLossMs = this.mechanisms.grantsAfterLoss(nowMs, this.longestWindowMs, this.maxSkewMs);
    const header: Header = {
      grantsAfterMs: mayTrust ? nowMs - 1 : Math.max(grantsAfterMs, afterLossMs),
      grantsAfterReason: isKnown ? 'history' : 'empty',
      fresh: Math.max(fresh, firstWorkerId),
    };
    this.set('layout', layout);
    this.set('historyId', this.server.historyId);
    this.set('grantsAfter', header.grantsAfterMs);
    this.set('grantsAfterReason', mayTrust ? DECLARED_NEW : header.grantsAfterReason);
    this.set('fresh', header.fresh);
    return this.ignoreLoss(header);
  }

  /** Ends the wait if the operator asserts that nothing was lost. A claim doesn't ignore a loss: its holder knows better. */
  private ignoreLoss(header: Header): Header {
    const { ignoreLoss = false, claim } = this.request;
    if (!ignoreLoss || claim || header.grantsAfterMs < this.server.nowMs) return header;
    const grantsAfterMs = this.server.nowMs - 1;
    this.set('grantsAfter', grantsAfterMs);
    return { ...header, grantsAfterMs };
  }

  /**
   * Begins another history if rows were restored or removed without the header. The worker IDs of removed rows become fresh
   * again.
   */
  private *noticeLostRows(header: Header): RegistryCalls<void> {
    const hasBegun = this.changes.has('historyId');
    if (hasBegun || (yield* call((registry) => registry.hasAllRows()))) return;
    const { firstWorkerId } = this.request;
    Object.assign(header, yield* this.beginHistory(true, header.grantsAfterMs, firstWorkerId));
  }

  /** A claim shows that the namespace is not new. */
  private *mayTrust(): RegistryCalls<boolean> {
    const isEmpty = HEADER_FIELDS.every((name) => this.stored[name] === undefined);
    return isEmpty && !this.request.claim && (yield* call((registry) => registry.isNew(this.request)));
  }

  /** Asks whether this history is complete only if that decides: for a lease that ends within maxSkew. */
  private *mayBeExtended(reachMs: number, reservedUntilMs: number, header: Header): RegistryCalls<boolean> {
    const { maxSkewMs, mechanisms } = this;
    const { nowMs } = this.server;
    if (reachMs - maxSkewMs < nowMs) yield* this.noticeLostRows(header);
    const { grantsAfterMs } = header;
    return mechanisms.isRunning({ reachMs, reservedUntilMs, grantsAfterMs, maxSkewMs, nowMs });
  }

  private *renew(claim: LeaseClaim | undefined, header: Header): RegistryCalls<LeaseReply | undefined> {
    const { firstWorkerId, workerCount, windowMs } = this.request;
    if (!claim || claim.workerId < firstWorkerId || claim.workerId >= firstWorkerId + workerCount)
      return undefined;
    const { attempts, mechanisms } = this;
    const { workerId } = claim;
    const before = yield* call((registry) => registry.row(workerId));
    const row = mechanisms.rowForClaim(claim, before);
    if (!row || !mechanisms.isSameGrant(row.fencingToken, claim.fencingToken)) return undefined;
    const storeNowMs = this.server.nowMs;
    if (mechanisms.isCopied(row.fencingToken, claim.fencingToken, attempts)) {
      return { outcome: 'copied', storeNowMs };
    }
    const reachMs = Math.max(row.reservedUntilMs, claim.untilMs);
    if (!(yield* this.mayBeExtended(reachMs, row.reservedUntilMs, header))) return undefined;
    const untilMs = Math.max(reachMs, storeNowMs + windowMs);
    const fencingToken = renewedToken(row.fencingToken, claim.fencingToken, this.attempt);
    this.rowChange = { row: { workerId, reservedUntilMs: untilMs, fencingToken }, before };
    return { outcome: 'kept', fencingToken, untilMs, storeNowMs };
  }

  /** Returns a grant again whose reply was lost. It then has another fencing token, so that a copy of the holder doesn't get it, too. */
  private *repeatGrant(header: Header): RegistryCalls<LeaseReply | undefined> {
    if (!this.request.retry) return undefined;
    const [mine] = [...(yield* call((registry) => registry.grantsOf(this.request)))]
      .filter(({ fencingToken }) => this.mechanisms.isOwnGrant(this.attempts, fencingToken))
      .filter(({ fencingToken }) => fromOfFencingToken(fencingToken) !== undefined)
      .sort((a, b) => b.reservedUntilMs - a.reservedUntilMs || a.workerId - b.workerId);
    if (!mine) return undefined;
    const { workerId, reservedUntilMs: untilMs } = mine;
    if (!(yield* this.mayBeExtended(untilMs, untilMs, header))) return undefined;
    const fromMs = fromOfFencingToken(mine.fencingToken) ?? 0;
    const fencingToken = renewedToken(mine.fencingToken, mine.fencingToken, this.attempt);
    this.rowChange = { row: { workerId, reservedUntilMs: untilMs, fencingToken }, before: mine };
    return { outcome: 'new', workerId, fencingToken, fromMs, untilMs, storeNowMs: this.server.nowMs };
  }

  private *acquire(header: Header): RegistryCalls<LeaseReply> {
    yield* this.noticeLostRows(header);
    const storeNowMs = this.server.nowMs;
    if (storeNowMs <= header.grantsAfterMs) {
      const waitMs = Math.max(1, header.grantsAfterMs - storeNowMs);
      return { outcome: 'wait', waitMs, reason: header.grantsAfterReason, storeNowMs };
    }
    const offline = this.request.preferLongestOffline ? yield* this.longestOffline(header) : undefined;
    return (
      offline ??
      (yield* this.acquireFresh(header)) ??
      (yield* this.longestOffline(header)) ??
      (yield* this.full(header))
    );
  }

  /** Grants the first worker ID from `fresh` on without a row. Holders from a lost history may have written some rows. */
  private *acquireFresh(header: Header): RegistryCalls<LeaseReply | undefined> {
    const { firstWorkerId, workerCount } = this.request;
    const beyond = firstWorkerId + workerCount;
    const first = Math.max(header.fresh, firstWorkerId);
    const longest = Math.min(searchLength(workerCount), beyond - first);
    const unused = longest > 0 ? yield* call((registry) => registry.findUnused(first, longest)) : undefined;
    if (unused) {
      const { workerId, lowest } = unused;
      // `fresh` never passes a worker ID without a row, because no later search would find it.
      this.set('fresh', workerId === lowest ? workerId + 1 : lowest);
      return this.grant(workerId, header.grantsAfterMs);
    }
    const searchedUpTo = first + Math.max(0, longest);
    if (searchedUpTo > header.fresh) this.set('fresh', searchedUpTo);
    header.fresh = searchedUpTo;
    return undefined;
  }

  private *longestOffline(header: Header): RegistryCalls<LeaseReply | undefined> {
    const first = yield* call((registry) => registry.nextFree(this.request));
    if (!first || first.reservedUntilMs >= this.server.nowMs) return undefined;
    return this.grant(first.workerId, Math.max(first.reservedUntilMs, header.grantsAfterMs), first);
  }

  private *full({ fresh }: Header): RegistryCalls<LeaseReply> {
    const storeNowMs = this.server.nowMs;
    const hasUnprobed = fresh < this.request.firstWorkerId + this.request.workerCount;
    const next = hasUnprobed ? undefined : yield* call((registry) => registry.nextFree(this.request));
    const nextFreeMs = next?.reservedUntilMs ?? storeNowMs;
    return { outcome: 'full', nextFreeInMs: Math.max(1, nextFreeMs - storeNowMs), storeNowMs };
  }

  private grant(workerId: number, fromMs: number, before?: StoredRow): LeaseReply {
    const untilMs = this.server.nowMs + this.request.windowMs;
    const grant = fencingTokenOf(this.request.nonce, fromMs);
    const fencingToken = renewedToken(grant, grant, this.attempt);
    this.rowChange = { row: { workerId, reservedUntilMs: untilMs, fencingToken }, before };
    return { outcome: 'new', workerId, fencingToken, fromMs, untilMs, storeNowMs: this.server.nowMs };
  }
}

/** One execution of `release`. It writes only if the row is still as it was read, so it needs no lock. */
export function* releaseTransaction(request: ReleaseRequest): RegistryCalls<ReleaseReply> {
  const { workerId, fencingToken } = request;
  const before = yield* call((registry) => registry.row(workerId));
  if (!before || fencingToken === '' || before.fencingToken !== fencingToken) return { outcome: 'gone' };
  yield* call((registry) => registry.write({ header: new Map(), row: releasedRow(request), before }));
  return { outcome: 'released' };
}

/**
 * Returns the row after a release. `reserved until` is the last timestamp used, which may be lower or higher than the stored value
 * (higher if a renewal was lost), but never lower than the start of the grant: earlier holders used the timestamps below it.
 */
export function releasedRow({ workerId, fencingToken, lastUsedMs }: ReleaseRequest): WorkerRow {
  const reservedUntilMs = Math.max(lastUsedMs, fromOfFencingToken(fencingToken) ?? 0);
  return { workerId, reservedUntilMs, fencingToken: '' };
}
