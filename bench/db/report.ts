import { markdownTable } from '../support/table.js';
import { CHUNK_ROWS } from './order-table.js';
import type { BenchResult, DatabaseResult } from './result.js';
import type { Summary } from './samples.js';
import { bytesOfAll, type TableSizes } from './table-sizes.js';

/** The result as text. */
export function reportOf(result: BenchResult): string {
  return [
    'The keys:',
    '',
    ...result.keys.map(({ label, says, search }) => `- ${label}: ${says}. Sum by time: ${search}`),
    '',
    ...result.databases.flatMap((database) => databaseSection(result, database)),
    ...subscriberSection(result),
    '',
    `${result.issuedIds.total.toLocaleString('en-US')} IDs of @SnowflakeId() in all databases together: ` +
      (result.issuedIds.repeated === 0 ? 'no two are equal' : `${result.issuedIds.repeated} ARE REPEATED`),
    result.faults.length === 0
      ? 'No table has a key twice. The keys with a step keep to their residue, and the series has no gap.'
      : `FAULTS: ${result.faults.join('; ')}`,
  ].join('\n');
}

function databaseSection({ keys: all, baseKey }: BenchResult, database: DatabaseResult): string[] {
  const keys = all.filter(({ name }) => database.operations.some(({ byKey }) => byKey[name] !== undefined));
  const labels = keys.map(({ label }) => label);
  const times = database.operations.map(({ operation, rowsBefore, rowsAfter, byKey }) => [
    operation,
    rangeCell(rowsBefore, rowsAfter),
    ...keys.map(({ name }) => timeCell(byKey[name], name === baseKey)),
  ]);
  const sizes = database.sizes.flatMap(({ tableRows, bytesByKey }) =>
    PARTS.map(([part, bytesOf]) => [
      part,
      tableRows,
      ...keys.map(({ name }) => bytesCell(bytesByKey[name], bytesOf, tableRows)),
    ]),
  );
  const found = database.rowsFound.map(({ tableRows, byKey }) => {
    const counts = [...new Set(Object.values(byKey))].map((count) => count.toLocaleString('en-US'));
    return `${counts.join(' or ')} of ${tableRows.toLocaleString('en-US')}`;
  });
  return [
    `${database.database} ${database.version}: ${database.settings}`,
    '',
    'Microseconds a row, median, and the median ratio to auto-increment in the same round:',
    '',
    markdownTable(['operation', 'rows in the table', ...labels], times),
    '',
    '@SnowflakeId() to the same key set by the caller, without this library: ' +
      database.operations
        .map(
          ({ operation, rowsAfter, ratioToControl }) =>
            `${operation} ${ratioToControl.toFixed(2)} (${rowsAfter.toLocaleString('en-US')} rows)`,
        )
        .join(', '),
    '',
    `The sum by time finds ${found.join(', and ')} rows. The ${CHUNK_ROWS} rows of a bulk insert share one createdAt, ` +
      'which the index of PostgreSQL holds once: with times that differ, that index is larger.',
    '',
    'Bytes a row:',
    '',
    markdownTable(['part', 'rows in the table', ...labels], sizes),
    '',
  ];
}

const PARTS: readonly (readonly [string, (sizes: TableSizes) => number])[] = [
  ['table', ({ table }) => table],
  ['index of the key', ({ keyIndex }) => keyIndex],
  ['index for the search by time', ({ timeIndex }) => timeIndex],
  ['all', bytesOfAll],
];

function rangeCell(from: number, to: number): string {
  const [first, last] = [from, to].map((rows) => rows.toLocaleString('en-US'));
  return from === to ? `${last}` : `${first} to ${last}`;
}

function timeCell(summary: Summary | undefined, isBase: boolean): string {
  if (summary === undefined) return '-';
  const micros = Number(summary.microsPerRow.toPrecision(3)).toLocaleString('en-US');
  return isBase ? micros : `${micros} (${summary.ratio.toFixed(2)} ×)`;
}

function bytesCell(
  sizes: TableSizes | undefined,
  bytesOf: (sizes: TableSizes) => number,
  rows: number,
): string {
  if (sizes === undefined) return '-';
  const bytes = bytesOf(sizes);
  return bytes === 0 ? '-' : (bytes / rows).toFixed(1);
}

function subscriberSection({ subscriber }: BenchResult): string[] {
  const rows: [string, string][] = [
    ['beforeInsert assigns an ID', `${subscriber.assignNs} ns`],
    ['beforeInsert checks an ID that is there', `${subscriber.checkNs} ns`],
    ["of both: TypeORM's event, and for the first the ID", `${subscriber.idAndEventNs} ns`],
    ['bulk insert, bigint key set by the app, no subscriber', `${subscriber.bareMicros.toFixed(2)} µs`],
    ['more where the subscriber checks the IDs', `${subscriber.checkedMicrosMore.toFixed(2)} µs`],
    ['more where the subscriber assigns the IDs', `${subscriber.assignedMicrosMore.toFixed(2)} µs`],
    ['bulk insert, auto-increment key', `${subscriber.incrementMicros.toFixed(2)} µs`],
    ['more where the app sets that key: one more value', `${subscriber.oneMoreValueMicros.toFixed(2)} µs`],
  ];
  return [
    'The subscriber, per entity (bulk inserts go into SQLite in memory; differences can be below the noise):',
    '',
    markdownTable(['what', 'each'], rows),
  ];
}
