import { readWholeNumber, type StoredRow } from 'nestjs-snowflake/internal/stores/registry-format';
import { Unreadable, type WorkerRow } from 'nestjs-snowflake/internal/stores/protocol/lease-registry';

/** Digits of the longest time and of the highest worker ID: with leading zeros, their order as text is their order as numbers. */
const TIME_DIGITS = 15;
const WORKER_ID_DIGITS = 10;
/** What the keys of rows begin with. */
export const ROWS = 'w/';
/** The worker ID stands in the value, too, so that rows which end together sort by worker ID. */
const ROW = /^(\d{15}) (\d{10}) ([\s\S]*)$/;

/** Returns the key of a worker ID. */
export function rowKey(workerId: number): string {
  return `${ROWS}${digits(workerId, WORKER_ID_DIGITS)}`;
}

/** Returns the worker ID of a key; `NaN` if it is the key of something else. */
export function workerIdOf(key: string): number {
  return key.length === ROWS.length + WORKER_ID_DIGITS && key.startsWith(ROWS)
    ? (readWholeNumber(key.slice(ROWS.length)) ?? Number.NaN)
    : Number.NaN;
}

/** Writes the row of a worker ID. Values in ascending order end, or ended, one after the other. */
export function rowValue({ workerId, reservedUntilMs, fencingToken }: WorkerRow): string {
  return `${digits(reservedUntilMs, TIME_DIGITS)} ${digits(workerId, WORKER_ID_DIGITS)} ${fencingToken}`;
}

/** Reads the row of a worker ID; `undefined` if it is unreadable. */
export function readRowValue(workerId: number, stored: string): StoredRow | undefined {
  const [, reservedUntilMs, storedWorkerId, fencingToken] = ROW.exec(stored) ?? [];
  if (fencingToken === undefined || Number(storedWorkerId) !== workerId) return undefined;
  return { reservedUntilMs: Number(reservedUntilMs), fencingToken };
}

/** Reads the row of a key. @throws Unreadable */
export function workerRow(key: string, stored: string): WorkerRow {
  const workerId = workerIdOf(key);
  const row = readRowValue(workerId, stored);
  if (!row) throw new Unreadable(String(workerId), stored);
  return { workerId, ...row };
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}
