import { markdownTable } from '../support/table.js';
import type { BenchResult, DatabaseResult } from './result.js';
import type { Summary } from './samples.js';
import { bytesOfAll } from './table-sizes.js';

/** Returns the result as text. */
export function reportOf(result: BenchResult): string {
  return [
    'The keys:',
    '',
    ...result.keys.map(({ label, says }) => `- ${label}: ${says}`),
    '',
    ...result.databases.flatMap((database) => databaseSection(result, database)),
    `${result.issuedIds.total.toLocaleString('en-US')} IDs of @SnowflakeId() in all databases together: ` +
      (result.issuedIds.repeated === 0 ? 'no two are equal' : `${result.issuedIds.repeated} ARE REPEATED`),
    result.faults.length === 0
      ? 'No table has a key twice. The keys with a step keep to their residue, and the series has no gap.'
      : `FAULTS: ${result.faults.join('; ')}`,
  ].join('\n');
}

function databaseSection({ keys, baseKey }: BenchResult, database: DatabaseResult): string[] {
  const { operations, sizes } = database;
  const rows = keys
    .filter(({ name }) => sizes.bytesByKey[name] !== undefined)
    .map(({ name, label }) => {
      const bytes = sizes.bytesByKey[name];
      return [
        label,
        ...operations.map(({ byKey }) => timeCell(byKey[name], name === baseKey)),
        bytes ? (bytesOfAll(bytes) / sizes.tableRows).toFixed(1) : '-',
      ];
    });
  const toControl = operations.map(
    ({ operation, ratioToControl }) => `${operation} ${ratioToControl.toFixed(2)}`,
  );
  return [
    `${database.database} ${database.version}: ${database.settings}`,
    '',
    `Microseconds a row in tables of ${operations[0]?.rowsBefore.toLocaleString('en-US')} rows and more, median, and the median ratio to`,
    'auto-increment in the same round. Bytes a row include the index of the key, and one of the time if the key does not contain it.',
    '',
    markdownTable(['key', ...operations.map(({ operation }) => `${operation}, µs`), 'bytes'], rows),
    '',
    `@SnowflakeId() to the same key set by the caller, without this library: ${toControl.join(', ')}`,
    '',
  ];
}

function timeCell(summary: Summary | undefined, isBase: boolean): string {
  if (summary === undefined) return '-';
  const micros = Number(summary.microsPerRow.toPrecision(3)).toLocaleString('en-US');
  return isBase ? micros : `${micros} (${summary.ratio.toFixed(2)} ×)`;
}
