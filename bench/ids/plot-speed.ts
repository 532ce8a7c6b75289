import { writeBarChart } from '../support/plot.js';
import { resultPath } from '../support/results.js';
import { isCorrect, type Standing } from './comparison.js';

/** Draws docs/bench/ids.svg: ns per ID of all rivals. */
export async function plotSpeed(standings: readonly Standing[]): Promise<void> {
  await writeBarChart(resultPath('ids.svg'), {
    title: 'Time per ID, less is better',
    subtitle:
      'Bursts of 4,000 IDs with rests between them, on one core. * makes duplicates (in a burst, or when the clock goes back)',
    categories: standings.map((standing) => standing.rival.name + (isCorrect(standing) ? '' : ' *')),
    series: [
      { name: 'as a bigint', values: standings.map(({ speed }) => speed.bigintNs ?? null) },
      { name: 'as a string', values: standings.map(({ speed }) => speed.stringNs ?? null) },
    ],
    unit: 'ns per ID',
    log: true,
  });
}
