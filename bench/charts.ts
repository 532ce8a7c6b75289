import { readFile, writeFile } from 'node:fs/promises';
import { insertChart, sizeChart } from './db/charts.js';
import type { BenchResult } from './db/result.js';
import type { Report as IdReport } from './ids/report.js';
import { speedChart } from './ids/speed-chart.js';
import { redisCpuChart } from './lease/redis-cpu-chart.js';
import type { Report as LeaseReport } from './lease/report.js';
import { barChartSvg } from './support/bar-chart.js';
import { readResults, resultPath } from './support/results.js';

/** Draws the charts of docs/bench from the results there. */
export async function drawCharts(): Promise<void> {
  for (const [fileName, svg] of await drawnCharts()) await writeFile(resultPath(fileName), svg);
}

/** Names of the charts that aren't what the results give. */
export async function outdatedCharts(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [fileName, svg] of await drawnCharts()) {
    const present = await readFile(resultPath(fileName), 'utf8').catch(() => undefined);
    if (present !== svg) outdated.push(fileName);
  }
  return outdated;
}

async function drawnCharts(): Promise<[fileName: string, svg: string][]> {
  const db = await readResults<BenchResult>('db');
  return [
    ['ids.svg', barChartSvg(speedChart(await readResults<IdReport>('ids')))],
    ['db-insert.svg', barChartSvg(insertChart(db))],
    ['db-size.svg', barChartSvg(sizeChart(db))],
    ['lease.svg', barChartSvg(redisCpuChart(await readResults<LeaseReport>('lease')))],
  ];
}
