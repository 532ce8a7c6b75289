import { type BarChartOptions, writeBarChart } from '../support/plot.js';
import { resultPath } from '../support/results.js';
import { bytesOfAll } from './report.js';
import type { BenchResult } from './result.js';
import type { Operation } from './stage.js';

const WRITES: readonly Operation[] = ['bulk insert', 'insert', 'save'];

/** Writes docs/bench/db-insert.svg, db-size.svg and db-search.svg: the largest tables of each database. */
export async function writeCharts(result: BenchResult): Promise<void> {
  await writeBarChart(resultPath('db-insert.svg'), insertChart(result));
  await writeBarChart(resultPath('db-size.svg'), sizeChart(result));
  await writeBarChart(resultPath('db-search.svg'), searchChart(result));
}

function insertChart(result: BenchResult): BarChartOptions {
  return {
    title: 'Cost of a row through TypeORM, relative to auto-increment',
    subtitle: `Tables of ${largestRows(result, 'insert')} rows; median of the ratios in each round; less is better`,
    unit: 'times auto-increment',
    ...operationBars(result, WRITES, ({ ratio }) => ratio),
  };
}

function searchChart(result: BenchResult): BarChartOptions {
  return {
    title: 'Sum over the rows of a time range',
    subtitle: `Tables of ${largestRows(result, 'sum by time')} rows; by the key, or by an index on createdAt if the key contains no time`,
    unit: 'µs a row found',
    ...operationBars(result, ['sum by time'], ({ microsPerRow }) => microsPerRow),
  };
}

function sizeChart({ databases, keys }: BenchResult): BarChartOptions {
  const sizes = databases.flatMap(({ database, sizes: all }) => {
    const last = all.at(-1);
    return last === undefined ? [] : [{ database, ...last }];
  });
  return {
    title: 'Bytes a row, with the indexes of the key and of the time',
    subtitle: `${keys.length} keys, the same other columns; from the statistics of the database`,
    unit: 'bytes',
    categories: sizes.map(({ database }) => database),
    series: keys.map(({ name, label }) => ({
      name: label,
      values: sizes.map(({ bytesByKey, tableRows }) => {
        const bytes = bytesByKey[name];
        return bytes === undefined ? null : bytesOfAll(bytes) / tableRows;
      }),
    })),
  };
}

function operationBars(
  { databases, keys }: BenchResult,
  wanted: readonly Operation[],
  valueOf: (summary: BenchResult['databases'][number]['operations'][number]['byKey'][string]) => number,
): Pick<BarChartOptions, 'categories' | 'series'> {
  const shown = databases.flatMap(({ database, operations }) =>
    wanted.flatMap((name) => {
      const last = operations.findLast(({ operation }) => operation === name);
      return last === undefined
        ? []
        : [{ category: wanted.length > 1 ? `${database}, ${name}` : database, last }];
    }),
  );
  return {
    categories: shown.map(({ category }) => category),
    series: keys.map(({ name, label }) => ({
      name: label,
      values: shown.map(({ last }) => {
        const summary = last.byKey[name];
        return summary === undefined ? null : valueOf(summary);
      }),
    })),
  };
}

function largestRows({ databases }: BenchResult, wanted: Operation): string {
  const rows = databases.flatMap(({ operations }) =>
    operations.filter(({ operation }) => operation === wanted).map(({ rowsBefore }) => rowsBefore),
  );
  return Math.max(...rows).toLocaleString('en-US');
}
