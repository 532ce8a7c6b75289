import type { BarChart } from '../support/bar-chart.js';
import { namedCalls } from './named-calls.js';
import type { Report } from './report.js';

/** What one call of each kind costs Redis. */
export function redisCpuChart(report: Report): BarChart {
  return {
    title: 'What one call of the lease store costs Redis',
    notes: [
      `CPU time per call in Redis ${report.redisVersion}, network included.`,
      'A process renews six times a minute, and claims when it starts.',
    ],
    columns: ['CPU, µs'],
    rows: namedCalls(report).map(({ name, cost }) => ({
      label: name,
      tone: 'subject',
      values: [cost.cpuUs],
    })),
  };
}
