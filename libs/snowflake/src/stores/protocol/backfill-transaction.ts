import { claimedByImports, fencingTokenOf, IMPORT_NONCE } from '../../lease/fencing-token.js';
import type { BackfillReply, BackfillRequest } from '../../lease/lease-store.js';
import { DECLARED_NEW, readWholeNumber, type RegistryHeader } from '../registry-format.js';
import { type GrantSearch, Unreadable, type WorkerRow } from './lease-registry.js';
import { call, type RegistryCalls } from './registry-calls.js';

/**
 * The row of a worker ID that is reserved for imports. Its window never ends, so no process is ever granted the worker ID, and its
 * fencing token is `<nonce>@<served>~<grantsAfter>`: the last timestamp that was claimed, and the history of the registry under which
 * that was.
 */
const NEVER_ENDS_MS = 999_999_999_999_999;
const MARK = /~(\d{1,15})~$/;

/** Imports take from the last worker IDs of a namespace, because processes begin with the first. */
const MAX_WORKER_IDS = 16;

/** The decisions that uniqueness depends on. A control replaces one. */
export interface BackfillMechanisms {
  /** Returns whether the registry has had the same history since the operator declared the namespace new, so that no claim was lost. */
  isDeclaredNew(stored: RegistryHeader): boolean;
  /** Returns whether a claim was made under this history of the registry, so that no later one was lost. */
  isOfHistory(row: WorkerRow, grantsAfterMs: number): boolean;
  /** Returns the last timestamp that nobody may use again. */
  servedUntilMs(row: WorkerRow): number;
}

export const BACKFILL_MECHANISMS: BackfillMechanisms = {
  // Another history has another reason.
  isDeclaredNew: ({ grantsAfterReason }) => grantsAfterReason === DECLARED_NEW,
  // Each history begins with a later `grantsAfter`, and nothing is claimed before that has passed.
  isOfHistory: ({ fencingToken }, grantsAfterMs) =>
    readWholeNumber(MARK.exec(fencingToken)?.[1]) === grantsAfterMs,
  servedUntilMs: ({ fencingToken }) => claimedByImports(fencingToken) ?? NEVER_ENDS_MS,
};

/**
 * One execution of `backfill`. What a worker ID has served only grows, so claims of it never overlap, as the windows of leases.
 * Writes once, at its end.
 */
export function* backfillTransaction(
  request: BackfillRequest,
  mechanisms: BackfillMechanisms = BACKFILL_MECHANISMS,
): RegistryCalls<BackfillReply> {
  const stored = yield* call((registry) => registry.header());
  const server = yield* call((registry) => registry.server());
  if (stored.layout === undefined) return { outcome: 'wait' };
  if (stored.layout !== request.layout) return { outcome: 'layout', storedLayout: stored.layout };
  const grantsAfterMs = readWholeNumber(stored.grantsAfter);
  if (grantsAfterMs === undefined) throw new Unreadable('grantsAfter', stored.grantsAfter ?? '');
  const isWhole = stored.historyId === server.historyId && (yield* call((registry) => registry.hasAllRows()));
  if (!isWhole || server.nowMs <= grantsAfterMs) return { outcome: 'wait' };

  const search = searchOf(request);
  const rows = search.workerCount > 0 ? yield* call((registry) => registry.grantsOf(search)) : [];
  const trustsAll = request.ignoreLoss || mechanisms.isDeclaredNew(stored);
  const usable = rows.filter((row) => trustsAll || mechanisms.isOfHistory(row, grantsAfterMs));
  if (!trustsAll && usable.length === 0) return { outcome: 'possible-loss' };
  const before = bestOf([...usable], request, mechanisms);
  const unused =
    before || search.workerCount === 0
      ? undefined
      : yield* call((registry) => registry.findUnused(search.firstWorkerId, search.workerCount));
  const workerId = before?.workerId ?? unused?.workerId;
  if (workerId === undefined) return { outcome: 'full' };

  const fromMs = before ? mechanisms.servedUntilMs(before) : 0;
  const untilMs = request.untilMs + Math.max(0, fromMs + 1 - request.firstMs);
  const fencingToken = `${fencingTokenOf(IMPORT_NONCE, untilMs)}~${grantsAfterMs}~`;
  const row = { workerId, reservedUntilMs: NEVER_ENDS_MS, fencingToken };
  yield* call((registry) => registry.write({ header: new Map(), row, before }));
  return { outcome: 'claimed', workerId, fromMs, untilMs };
}

/** A small namespace keeps at least half of its worker IDs for processes. */
function searchOf({ firstWorkerId, workerCount }: BackfillRequest): GrantSearch {
  const count = Math.min(MAX_WORKER_IDS, Math.floor(workerCount / 2));
  return {
    nonce: IMPORT_NONCE,
    firstWorkerId: firstWorkerId + workerCount - count,
    workerCount: count,
    searchSeed: 0,
  };
}

/** Returns the row to continue with: the caller's own or else the one that has served most, of those that can serve the request. */
function bestOf(
  rows: readonly WorkerRow[],
  { workerId, firstMs, maxShiftMs }: BackfillRequest,
  { servedUntilMs }: BackfillMechanisms,
): WorkerRow | undefined {
  const fitting = rows.filter((row) => servedUntilMs(row) < firstMs + maxShiftMs);
  const own = fitting.find((row) => row.workerId === workerId);
  return own ?? fitting.toSorted((a, b) => servedUntilMs(b) - servedUntilMs(a) || a.workerId - b.workerId)[0];
}
