import { readFile, writeFile } from 'node:fs/promises';
import type { BenchResult, DatabaseResult } from '../db/result.js';
import { bytesOfAll } from '../db/table-sizes.js';
import { isCorrect, peersBySpeed, type Standing } from '../ids/comparison.js';
import type { Report as IdReport } from '../ids/report.js';
import { namedCalls, type Report as LeaseReport } from '../lease/report.js';
import { readResults, resultPath } from '../support/results.js';
import { type BarChart, type BarRow, barChartSvg } from './bar-chart.js';

/** Draws the charts of docs/bench from the results there. */
export async function drawCharts(): Promise<void> {
  for (const [fileName, svg] of await drawnCharts()) await writeFile(resultPath(fileName), svg);
}

/** Returns the names of the charts that aren't what the results give. */
export async function outdatedCharts(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [fileName, svg] of await drawnCharts()) {
    const present = await readFile(resultPath(fileName), 'utf8').catch(() => undefined);
    if (present !== svg) outdated.push(fileName);
  }
  return outdated;
}

async function drawnCharts(): Promise<(readonly [fileName: string, svg: string])[]> {
  const db = await readResults<BenchResult>('db');
  const charts: Record<string, BarChart> = {
    'ids.svg': speedChart(await readResults<IdReport>('ids')),
    'db-insert.svg': insertChart(db),
    'db-size.svg': sizeChart(db),
    'lease.svg': redisCpuChart(await readResults<LeaseReport>('lease')),
  };
  // ECharts numbers the drawings of a process, so all of them are drawn, always in this order.
  return Object.entries(charts).map(([fileName, chart]) => [fileName, barChartSvg(chart)] as const);
}

/**
 * This library as users call it, the fastest two other packages of its kind that made no duplicate, the one that the README compares,
 * and what Node has. All others are in the tables: one that takes 2,000 ns would make hairlines of the rest.
 */
function speedChart({ comparison }: IdReport): BarChart {
  const peers = peersBySpeed(comparison, 'stringNs');
  const named = (name: string): Standing[] => comparison.filter(({ rival }) => rival.name === name);
  return {
    title: 'Time per ID: less is better',
    notes: ['Bursts of 4,000 IDs with rests between them, on one core.'],
    columns: ['as a bigint, ns', 'as a string, ns'],
    rows: [
      ...rowsOf(named('nestjs-snowflake, SnowflakeIdMaker'), 'subject', () => 'SnowflakeIdMaker'),
      ...rowsOf(peers.filter(isCorrect).slice(0, 2), 'other'),
      ...rowsOf(named('@sapphire/snowflake'), 'faulty', (name) => `${name}, repeats IDs`),
      ...rowsOf(named('crypto.randomUUID'), 'other'),
    ],
  };
}

function rowsOf(
  standings: readonly Standing[],
  tone: BarRow['tone'],
  labelOf = (name: string): string => name,
): BarRow[] {
  return standings.map(({ rival, speed }) => ({
    label: labelOf(rival.name),
    tone,
    values: [speed.bigintNs, speed.stringNs],
  }));
}

/** A row of a bulk insert. */
function insertChart(result: BenchResult): BarChart {
  const bulkInserts = result.databases.map(({ operations }) =>
    operations.find(({ operation }) => operation === 'bulk insert'),
  );
  const tableRows = Math.max(...bulkInserts.map((measured) => measured?.rowsBefore ?? 0));
  return {
    title: 'A row of a bulk insert: less is better',
    notes: [`Times auto-increment, in tables of ${tableRows.toLocaleString('en-US')} rows.`],
    ...barsByKey(result, (_, at, key) => bulkInserts[at]?.byKey[key]?.ratio),
  };
}

/** Bytes a row. */
function sizeChart(result: BenchResult): BarChart {
  return {
    title: 'Bytes per row: less is better',
    notes: [
      'With the index of the key, and with one of the time',
      'where the key does not contain it. Other columns are the same.',
    ],
    ...barsByKey(result, ({ sizes }, _, key) => {
      const bytes = sizes.bytesByKey[key];
      return bytes && bytesOfAll(bytes) / sizes.tableRows;
    }),
  };
}

/** The keys that an app chooses between, from top to bottom. The tables have all. */
const SHOWN_KEYS = ['increment', 'snowflake', 'segments', 'uuid_v7', 'uuid_v4'];

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

/** What one call of each kind costs Redis. */
function redisCpuChart(report: LeaseReport): BarChart {
  return {
    title: 'What one call of the lease store costs Redis',
    notes: [
      `CPU time per call in Redis ${report.redisVersion}, network included.`,
      'A process renews six times a minute, and claims when it starts.',
    ],
    columns: ['CPU, µs'],
    rows: namedCalls(report).map(({ name, cpuUs }) => ({
      label: name,
      tone: 'subject',
      values: [cpuUs],
    })),
  };
}
