import { markdownTable } from '../support/table.js';
import type { KeysResult } from './result.js';

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
