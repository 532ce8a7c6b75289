/**
 * `npm run bench`: this library and its rivals in one process and one run. Prints tables, writes docs/bench/ids.json and ids.svg.
 * Exits with 1 only when IDs of this library came twice.
 *
 * `--quick`: a smoke run, which writes nothing to docs/bench.
 */
import { parseArgs } from 'node:util';
import { drawCharts } from '../charts/charts.js';
import { progress } from '../support/progress.js';
import { writeResults } from '../support/results.js';
import { checkAll, isCorrect } from './comparison.js';
import { ClockCostRounds } from './measure/clock-cost.js';
import { duplicatesOfControl } from './measure/control.js';
import { measureSpeed } from './measure/speed.js';
import { ratios } from './ratios.js';
import { type Report, reportText } from './report.js';
import { ours } from './rivals/ours.js';
import { randomIds } from './rivals/random-ids.js';
import { snowflakePackages } from './rivals/snowflake-packages.js';
import { FULL, QUICK, type Settings } from './settings.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

/** Times first: where a clock that is set back was seen, V8 makes less of the code. */
async function measureAll(settings: Settings): Promise<Report> {
  const rivals = [...ours, ...snowflakePackages, ...randomIds];
  const shown = progress('bench', rivals.length * (settings.rounds + 1));
  let done = 0;
  const step = (note: string): void => shown.step(++done, note);

  const clock = new ClockCostRounds(settings);
  const speeds = await measureSpeed(rivals, settings, step, () => clock.measureRound());
  const comparison = await checkAll(speeds, settings, step);
  const controlDuplicates = await duplicatesOfControl(settings.burstIds);
  shown.end();
  return {
    quick: values.quick,
    comparison,
    controlDuplicates,
    ratios: ratios(comparison),
    clockCost: clock.cost,
  };
}

const report = await measureAll(values.quick ? QUICK : FULL);
console.log(reportText(report));
if (!values.quick) {
  await writeResults('ids', report);
  await drawCharts();
}
for (const standing of report.comparison) {
  if (!ours.includes(standing.rival) || isCorrect(standing)) continue;
  process.exitCode = 1;
  const { rival, burstDuplicates, clockStep } = standing;
  console.error(
    `${rival.name} repeated IDs: ${burstDuplicates} in the burst, ${clockStep?.duplicates ?? 0} after the step`,
  );
}
