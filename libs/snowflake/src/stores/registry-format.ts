import type { RegistryRow, RegistrySnapshot, UnreadableField } from '../lease/lease-store.js';

/**
 * The stored format of a registry: a flat list of text fields, one per worker ID and a few for the whole namespace. The Lua
 * scripts, the in-memory registry and every reader use this format; `redis/lua.ts` implements it in Lua.
 */

/** The fields of a registry that belong to the whole namespace. */
export interface RegistryHeader {
  readonly layout?: string;
  /** The server's history ID when it was last seen (Redis: `<master_replid>/<run_id>`). */
  readonly historyId?: string;
  /** A lost history may have granted timestamps up to here. */
  readonly grantsAfter?: string;
  /**
   * Why the present history began: `empty` or `history`, or `new` if the registry was empty and the operator declared the namespace new. Earlier
   * versions write `empty` for `new`, and read it as that.
   */
  readonly grantsAfterReason?: string;
  /** The longest window of all requests, in milliseconds. It never shrinks by itself. */
  readonly window?: string;
  /** The largest maxSkew of all requests, in milliseconds. Older registries have none. */
  readonly maxSkew?: string;
  /** The next worker ID that has never been used. */
  readonly fresh?: string;
}

/** The reason of a history that holds all that was ever granted or claimed, because the operator declared the namespace new before it. */
export const DECLARED_NEW = 'new';

/** The stored state of one worker ID. */
export interface StoredRow {
  readonly reservedUntilMs: number;
  readonly fencingToken: string;
}

/** Fifteen digits suffice until the year 33658 and stay exact in a double, so Lua and JavaScript agree. */
const WHOLE_NUMBER = /^\d{1,15}$/;
const ROW = /^(\d{1,15}) ([\s\S]*)$/;
const WORKER_ID = /^\d{1,10}$/;

/** Reads a whole number of at most 15 digits; `undefined` if it is something else. */
export function readWholeNumber(stored: string | undefined): number | undefined {
  return stored !== undefined && WHOLE_NUMBER.test(stored) ? Number(stored) : undefined;
}

/** Reads the row of one worker ID; `undefined` if it is unreadable. */
export function readRow(stored: string): StoredRow | undefined {
  const match = ROW.exec(stored);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { reservedUntilMs: Number(match[1]), fencingToken: match[2] };
}

/** Writes the row of one worker ID. */
export function writeRow(row: StoredRow): string {
  return `${row.reservedUntilMs} ${row.fencingToken}`;
}

/** Reads a whole registry. People need the rest of it most when a field is unreadable, so that is only listed. */
export function readSnapshot(fields: ReadonlyMap<string, string>, storeNowMs: number): RegistrySnapshot {
  const unreadable: UnreadableField[] = [];
  const read = <T>(field: string, parse: (stored: string) => T | undefined): T | undefined => {
    const stored = fields.get(field);
    if (stored === undefined) return undefined;
    const value = parse(stored);
    if (value === undefined) unreadable.push({ field, stored });
    return value;
  };
  const number = (field: keyof RegistryHeader): number | undefined => read(field, readWholeNumber);
  const rows: RegistryRow[] = [];
  for (const field of fields.keys()) {
    const row = WORKER_ID.test(field) ? read(field, readRow) : undefined;
    if (row) rows.push({ workerId: Number(field), ...row });
  }
  return {
    storeNowMs,
    layout: fields.get('layout'),
    historyId: fields.get('historyId'),
    grantsAfterMs: number('grantsAfter'),
    longestWindowMs: number('window'),
    longestMaxSkewMs: number('maxSkew'),
    freshWorkerId: number('fresh'),
    rows: rows.sort((a, b) => a.workerId - b.workerId),
    ...(unreadable.length > 0 && { unreadable }),
  };
}
