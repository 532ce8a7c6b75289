/**
 * `npm run bench -- lease`: what leasing costs Redis and holders. Prints tables, writes docs/bench/lease.json and lease.svg.
 * Starts private Redis servers. Exits with 1 only if a worker ID was granted twice.
 *
 * `--quick`: a smoke run, which writes nothing to docs/bench.
 */
import { parseArgs } from 'node:util';
import { drawCharts } from '../charts/charts.js';
import { progress } from '../support/progress.js';
import { writeResults } from '../support/results.js';
import { measureCallCosts } from './measure/call-cost.js';
import { measureCommandRate } from './measure/command-rate.js';
import { measureCrowd } from './measure/crowd.js';
import { type Report, reportText } from './report.js';
import { FULL, QUICK, type Settings } from './settings.js';
import { Stage } from './stage.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

const KINDS_OF_CALLS = 4;

async function measureAll(settings: Settings): Promise<Report> {
  const shown = progress('bench lease', KINDS_OF_CALLS + settings.crowdRounds + 1);
  let done = 0;
  const step = (note: string): void => shown.step(done++, note);

  const stage = await Stage.open();
  try {
    const calls = await measureCallCosts(stage, settings, step);
    const crowd = await measureCrowd(stage, settings, step);
    step(`commands of a holder, ${settings.holderWindowMs / 1000} s`);
    const commandRate = await measureCommandRate(settings, stage.granted);
    const server = await stage.redis.info('server');
    return {
      redisVersion: /redis_version:(\S+)/.exec(server)?.[1] ?? 'unknown',
      settings,
      calls,
      crowd,
      commandRate,
      duplicates: stage.granted.duplicates,
    };
  } finally {
    await stage.close();
    shown.end();
  }
}

const report = await measureAll(values.quick ? QUICK : FULL);
console.log(reportText(report));
if (!values.quick) {
  await writeResults('lease', report);
  await drawCharts();
}
if (report.duplicates > 0) process.exitCode = 1;
