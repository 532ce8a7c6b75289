import type { Summary } from '../db/samples.js';
import { markdownTable } from '../support/table.js';

/** The measurements in one database. docs/bench/keys.json is a list of them. */
export interface KeysResult {
  readonly database: string;
  readonly tableRows: number;
  readonly keys: readonly {
    readonly label: string;
    /** Of the orders, with all indexes. */
    readonly bytesPerRow: number;
    /** A row, in statements of 1,000 rows. */
    readonly insert: Summary;
    /** The whole join. */
    readonly join: Summary;
  }[];
}

export function reportOf({ database, tableRows, keys }: KeysResult): string {
  const rows = keys.map(({ label, bytesPerRow, insert, join }) => [
    label,
    bytesPerRow,
    Math.round(1e6 / insert.microsPerRow),
    insert.ratio.toFixed(2),
    Math.round(join.microsPerRow / 1000),
    join.ratio.toFixed(2),
  ]);
  return [
    `${database}, ${tableRows.toLocaleString('en-US')} orders, three indexes, two foreign keys (median ratios to the first key, same round)`,
    '',
    markdownTable(['key', 'bytes per row', 'inserts per second', 'time, ×', 'join, ms', 'time, ×'], rows),
  ].join('\n');
}
