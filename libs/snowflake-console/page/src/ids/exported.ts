import type { Reading } from './reading.js';

const COLUMNS = [
  'line',
  'key',
  'text',
  'id',
  'times',
  'time',
  'datacenter_id',
  'worker_id',
  'sequence',
  'holder',
  'warnings',
] as const;
type HolderOf = (reading: Reading) => string | undefined;
const unknown: HolderOf = () => undefined;
const LAST_DATE_MS = 8.64e15;

/** Returns the readings as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe. */
export function csvOf(readings: readonly Reading[], holderOf = unknown): string {
  const rows = readings.map((reading) => {
    const row = rowOf(reading, holderOf);
    return COLUMNS.map((column) => cell(row[column])).join(',');
  });
  return [COLUMNS.join(','), ...rows, ''].join('\r\n');
}

/** Returns the readings as a JSON array, with IDs as strings. */
export function jsonOf(readings: readonly Reading[], holderOf = unknown): string {
  return JSON.stringify(
    readings.map((reading) => rowOf(reading, holderOf)),
    null,
    2,
  );
}

function rowOf(reading: Reading, holderOf: HolderOf): Record<(typeof COLUMNS)[number], unknown> {
  const { line, key, text, id, times, fields, warnings } = reading;
  return {
    line,
    key,
    text,
    id,
    times,
    time: fields && isoOf(fields.timestampMs),
    datacenter_id: fields?.datacenterId,
    worker_id: fields?.workerId,
    sequence: fields?.sequence,
    holder: holderOf(reading),
    warnings: warnings.join(' '),
  };
}

/** Returns ISO 8601, or Unix time in milliseconds beyond the last date of JavaScript, which a wide timestamp can reach. */
function isoOf(timeMs: number): string {
  return Math.abs(timeMs) <= LAST_DATE_MS ? new Date(timeMs).toISOString() : String(timeMs);
}

function cell(value: unknown): string {
  const text = String(value ?? '');
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
