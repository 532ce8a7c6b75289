/**
 * `npm run bench`: this library and its rivals in one process and one run, then segments. Prints tables, writes
 * docs/bench/ids.json, ids.svg and segments.json. Exits with 1 only when IDs or numbers of this library came twice.
 *
 * `--quick`: a smoke run, which writes nothing to docs/bench.
 */
import { parseArgs } from 'node:util';
import { drawCharts } from '../charts/charts.js';
import { runSegments } from '../segments/run-segments.js';
import { progress } from '../support/progress.js';
import { writeResults } from '../support/results.js';
import { checkAll, comparisonSteps, isCorrect } from './comparison.js';
import { ClockCostRounds } from './measure/clock-cost.js';
import { duplicatesOfControl } from './measure/control.js';
import { measureDenseLoops } from './measure/dense-loop.js';
import { measureExhaustion } from './measure/exhaustion.js';
import { batchCases, instanceCases, layoutCases, measureGrowth } from './measure/growth.js';
import { measureMemory } from './measure/memory.js';
import { measureSpeed } from './measure/speed.js';
import { ratios } from './ratios.js';
import { type Report, reportText } from './report.js';
import { ours, rivals } from './rivals/index.js';
import { FULL, QUICK, type Settings } from './settings.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

/**
 * Times first, and growth after them: where another layout or a clock that is put back was seen, V8 makes less of the code.
 */
async function measureAll(settings: Settings): Promise<Report> {
  const growthCases = [instanceCases, layoutCases, batchCases];
  const growthSteps = growthCases.flat().length * settings.rounds;
  const total = comparisonSteps(rivals, settings) + settings.rounds + growthSteps + 3;
  const shown = progress('bench', total);
  let done = 0;
  const step = (note: string): void => shown.step(++done, note);

  const clock = new ClockCostRounds(settings);
  const speeds = await measureSpeed(rivals, settings, step, async () => {
    await clock.measureRound();
    step('clock');
  });
  const dense = await measureDenseLoops(settings);
  step('dense loops');
  const [instances = [], layouts = [], batches = []] = await inTurn(growthCases, (cases) =>
    measureGrowth(cases, settings, step),
  );
  const exhaustion = await measureExhaustion(settings);
  step('exhaustion');
  const memory = measureMemory(settings.memoryIds, (made) => shown.step(done, `memory, ${made} IDs`));
  step('memory');
  const comparison = await checkAll(speeds, settings, step);
  const controlDuplicates = await duplicatesOfControl(settings.burstIds);
  shown.end();
  return {
    quick: values.quick,
    comparison,
    controlDuplicates,
    ratios: ratios(comparison),
    clockCost: clock.cost,
    dense,
    exhaustion,
    memory,
    growth: { instances, layouts, batches },
  };
}

async function inTurn<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await task(item));
  return results;
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
await runSegments(values.quick);
