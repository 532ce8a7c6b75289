import type { StoredRow, UnreadableField } from '../registry-format.js';
import { readRow } from '../registry-format.js';

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
