import { writeBarChart } from '../support/plot.js';
import { namedCalls, type Report } from './report.js';

/** Draws what one call of each kind costs Redis. */
export async function plotRedisCpu(file: string, report: Report): Promise<void> {
  const calls = namedCalls(report);
  await writeBarChart(file, {
    title: 'What one call of the lease store costs Redis',
    subtitle: `Redis ${report.redisVersion}, CPU time per call, network included; a holder renews six times a minute`,
    categories: calls.map(({ name }) => name),
    series: [{ name: 'CPU', values: calls.map(({ cost }) => cost.cpuUs) }],
    unit: 'µs of CPU',
    log: true,
  });
}
