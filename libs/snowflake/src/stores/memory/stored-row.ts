import type { LeaseRequest } from '../../lease/lease-store.js';
import type { StoredRow, UnreadableField } from '../registry-format.js';
import { readRow } from '../registry-format.js';
import { searchLength } from '../search-limit.js';

/** The row of one worker ID. */
export type WorkerRow = StoredRow & { readonly workerId: number };

/** Ends a call at the first field that this library did not write. */
export class Unreadable extends Error implements UnreadableField {
  constructor(
    readonly field: string,
    readonly stored: string,
  ) {
    super(field);
  }
}

/** The row of one worker ID; `undefined` when it was never used. */
export function storedRow(fields: ReadonlyMap<string, string>, workerId: number): StoredRow | undefined {
  const stored = fields.get(String(workerId));
  if (stored === undefined) return undefined;
  const row = readRow(stored);
  if (!row) throw new Unreadable(String(workerId), stored);
  return row;
}

/** The rows of all worker IDs, or of a stretch of them that wraps around when there are very many; ascending. */
export function storedRows(fields: ReadonlyMap<string, string>, request: LeaseRequest): WorkerRow[] {
  const { firstWorkerId, workerCount, searchSeed } = request;
  const workerIds = Array.from(
    { length: searchLength(workerCount) },
    (_, offset) => firstWorkerId + ((searchSeed + offset) % workerCount),
  );
  return workerIds
    .sort((a, b) => a - b)
    .flatMap((workerId) => {
      const row = storedRow(fields, workerId);
      return row ? [{ workerId, ...row }] : [];
    });
}
