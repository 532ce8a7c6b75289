import type { BarChart } from '../support/bar-chart.js';
import type { BenchResult, DatabaseResult } from './result.js';
import { bytesOfAll } from './table-sizes.js';

/** The keys that an app chooses between, from top to bottom. The tables have all. */
const SHOWN_KEYS = ['increment', 'snowflake', 'segments', 'uuid_v7', 'uuid_v4'];

/** A row of a bulk insert into the largest tables. */
export function insertChart(result: BenchResult): BarChart {
  const bulkInserts = result.databases.map(({ operations }) =>
    operations.findLast(({ operation }) => operation === 'bulk insert'),
  );
  const tableRows = Math.max(...bulkInserts.map((measured) => measured?.rowsBefore ?? 0));
  return {
    title: 'A row of a bulk insert: less is better',
    notes: [`Times auto-increment, in tables of ${tableRows.toLocaleString('en-US')} rows.`],
    ...barsByKey(result, (_, at, key) => bulkInserts[at]?.byKey[key]?.ratio),
  };
}

/** Bytes a row of the largest tables. */
export function sizeChart(result: BenchResult): BarChart {
  return {
    title: 'Bytes per row: less is better',
    notes: [
      'With the index of the key, and with one of the time',
      'where the key does not contain it. Other columns are the same.',
    ],
    ...barsByKey(result, ({ sizes }, _, key) => {
      const last = sizes.at(-1);
      const bytes = last?.bytesByKey[key];
      return last && bytes && bytesOfAll(bytes) / last.tableRows;
    }),
  };
}

function barsByKey(
  { databases, keys }: BenchResult,
  valueOf: (database: DatabaseResult, at: number, key: string) => number | undefined,
): Pick<BarChart, 'columns' | 'rows'> {
  const shown = SHOWN_KEYS.flatMap((shownName) => keys.filter(({ name }) => name === shownName));
  return {
    columns: databases.map(({ database }) => database),
    rows: shown.map(({ name, label }) => ({
      label,
      tone: name === 'snowflake' ? 'subject' : 'other',
      values: databases.map((database, at) => valueOf(database, at, name)),
    })),
  };
}
