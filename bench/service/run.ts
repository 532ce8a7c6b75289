/**
 * `npm run bench -- service`: what the ID service costs per request, beside a route of one's own. Prints tables, and writes
 * docs/bench/service.json. Starts a private Redis and PostgreSQL. Exits with 1 only if an ID or a worker ID was issued twice.
 *
 * `--quick`: a smoke run, which writes nothing to docs/bench.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { progress } from '../support/progress.js';
import { writeResults } from '../support/results.js';
import { LeaseStage } from './lease-stage.js';
import { measureBatches } from './measure/batches.js';
import { measureFloor, measureHolders } from './measure/holders.js';
import { measureLatencies } from './measure/latency.js';
import { measureRenewals } from './measure/renewals.js';
import { measureSingleIds } from './measure/single-ids.js';
import { type Report, reportText } from './report.js';
import { FULL, QUICK, type Settings } from './settings.js';
import { Stage } from './stage.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

type IdReport = Pick<Report, 'singleIds' | 'latencies' | 'batches' | 'floor' | 'issuedIds' | 'repeatedIds'>;
type LeaseReport = Pick<Report, 'renewals' | 'holders'>;
type Step = (note: string) => void;

async function measureIds(settings: Settings, step: Step): Promise<IdReport> {
  const stage = await Stage.open(settings);
  try {
    const singleIds = await measureSingleIds(stage, settings, step);
    const latencies = await measureLatencies(stage, settings, step);
    const batches = await measureBatches(stage, settings, step);
    const floor = await measureFloor(stage, settings, step);
    const { total: issuedIds } = stage.issued;
    return { singleIds, latencies, batches, floor, issuedIds, repeatedIds: stage.issued.repeated() };
  } finally {
    await stage.close();
  }
}

async function measureLeases(settings: Settings, step: Step): Promise<LeaseReport> {
  const stage = await LeaseStage.open();
  try {
    // The holders come first: after their calls, the service has been compiled.
    const holders = await measureHolders(stage, settings, step);
    return { holders, renewals: await measureRenewals(stage, settings, step) };
  } finally {
    await stage.close();
  }
}

/** Rounds of single IDs, of batches, and of the renewals of two stores; three latencies, the floor, and two steps of the holders. */
const stepsOf = ({ rounds }: Settings): number => 4 * rounds + 6;

const loadNow = (): number => loadavg()[0] ?? Number.NaN;

async function measureAll(settings: Settings): Promise<Report> {
  const shown = progress('bench service', stepsOf(settings));
  let done = 0;
  const step = (note: string): void => shown.step(done++, note);
  const before = loadNow();
  try {
    const ids = await measureIds(settings, step);
    const leases = await measureLeases(settings, step);
    return { settings, load: { before, after: loadNow() }, ...ids, ...leases };
  } finally {
    shown.end();
  }
}

const report = await measureAll(values.quick ? QUICK : FULL);
console.log(reportText(report));
if (!values.quick) await writeResults('service', report);
if (report.repeatedIds + report.holders.duplicates > 0) process.exitCode = 1;
