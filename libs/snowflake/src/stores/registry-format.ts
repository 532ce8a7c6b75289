import { StoreCorruptError } from '../core/errors/index.js';
import type { RegistryRow, RegistrySnapshot } from '../lease/lease-store.js';

/**
 * How a registry is written down: a flat list of text fields, one per worker ID and a few for the whole namespace.
 * The Lua scripts, the in-memory registry and every reader agree on this form; `redis/lua.ts` says the same in Lua.
 */

/** The fields of a registry that belong to no single worker ID. */
export interface RegistryHeader {
  readonly layout?: string;
  /** Identity of the server's history when it was last seen (Redis: `<master_replid>/<run_id>`). */
  readonly historyId?: string;
  /** Timestamps up to here may have been given away by a history that was lost. */
  readonly grantsAfter?: string;
  /** Why `grantsAfter` was set last: `empty` or `history`. */
  readonly grantsAfterReason?: string;
  /** The longest window that anybody has asked for, in milliseconds. It never shrinks by itself. */
  readonly window?: string;
  /** The longest maxSkew that anybody has said, in milliseconds. Older registries have none. */
  readonly maxSkew?: string;
  /** The next worker ID that has never been used. */
  readonly fresh?: string;
}

/** What a registry remembers of one worker ID. */
export interface StoredRow {
  readonly reservedUntilMs: number;
  readonly fencingToken: string;
}

/** A value of a registry that this library did not write. */
export interface UnreadableField {
  readonly field: string;
  readonly stored: string;
}

/** Fifteen digits last until the year 33658 and stay exact in a double, so that Lua and JavaScript agree. */
const WHOLE_NUMBER = /^\d{1,15}$/;
const ROW = /^(\d{1,15}) ([\s\S]*)$/;
const WORKER_ID = /^\d{1,10}$/;

/** Reads a whole number of at most 15 digits; `undefined` if it is something else. */
export function readWholeNumber(stored: string | undefined): number | undefined {
  return stored !== undefined && WHOLE_NUMBER.test(stored) ? Number(stored) : undefined;
}

/** Reads the row of one worker ID; `undefined` when it is unreadable. */
export function readRow(stored: string): StoredRow | undefined {
  const match = ROW.exec(stored);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { reservedUntilMs: Number(match[1]), fencingToken: match[2] };
}

/** Writes the row of one worker ID. */
export function writeRow(row: StoredRow): string {
  return `${row.reservedUntilMs} ${row.fencingToken}`;
}

/**
 * The fencing token of a grant. It names the start of the window, so that a stuck copy of an old call, executed a
 * window later with the same nonce, makes another fencing token than the one its holder shows.
 */
export function fencingTokenOf(nonce: string, fromMs: number): string {
  return `${nonce}@${fromMs}`;
}

/** Reads the start of the window from a fencing token; `undefined` if the text is something else. */
export function fromOfFencingToken(fencingToken: string): number | undefined {
  return readWholeNumber(/@(\d+)$/.exec(fencingToken)?.[1]);
}

/**
 * Reads a whole registry.
 *
 * @param describedAs what to call the registry in an error
 * @throws StoreCorruptError at the first field that is unreadable
 */
export function readSnapshot(
  fields: ReadonlyMap<string, string>,
  storeNowMs: number,
  describedAs: string,
): RegistrySnapshot {
  const unreadable = (field: string) => new StoreCorruptError(describedAs, field, fields.get(field) ?? '');
  const number = (field: keyof RegistryHeader): number | undefined => {
    const value = readWholeNumber(fields.get(field));
    if (value === undefined && fields.has(field)) throw unreadable(field);
    return value;
  };
  const rows: RegistryRow[] = [];
  for (const [field, stored] of fields) {
    if (!WORKER_ID.test(field)) continue;
    const row = readRow(stored);
    if (!row) throw unreadable(field);
    rows.push({ workerId: Number(field), ...row });
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
  };
}
