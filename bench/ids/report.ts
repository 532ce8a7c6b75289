import { markdownTable } from '../support/table.js';
import type { Standing } from './comparison.js';
import { type ClockCost, type SparseCost, sparseGoalNs } from './measure/clock-cost.js';
import type { DenseCost } from './measure/dense-loop.js';
import type { Exhaustion } from './measure/exhaustion.js';
import type { GrowthPoint } from './measure/growth.js';
import type { MemoryUse } from './measure/memory.js';
import type { Ratio } from './ratios.js';
import { randomUUIDv7 } from './rivals/random-ids.js';
import { FULL } from './settings.js';

/** What one run found, as docs/bench/ids.json has it. */
export interface Report {
  readonly quick: boolean;
  readonly comparison: readonly Standing[];
  /** Duplicates of two generators with one worker ID, in the same burst: that the search finds them. */
  readonly controlDuplicates: number;
  readonly ratios: readonly Ratio[];
  readonly clockCost: ClockCost;
  readonly dense: readonly DenseCost[];
  readonly exhaustion: Exhaustion;
  readonly memory: MemoryUse;
  readonly growth: {
    readonly instances: readonly GrowthPoint[];
    readonly layouts: readonly GrowthPoint[];
    readonly batches: readonly GrowthPoint[];
  };
}

const DASH = '–';
const METHOD = `ns per ID: the median of bursts of 4,000 IDs (nodejs-snowflake: 1,000, it has 1,024 per millisecond) with a
rest before each, the same for all, in the quickest of ${FULL.rounds} rounds. A correct generator with 12 bits of sequence has 4,096
IDs per millisecond: in an endless loop all of them come to 244 ns, however fast their code is, and what comes to less
there makes duplicates or takes IDs of milliseconds to come. "sustained" is that endless loop, garbage collection
included, after a warm-up that spends what "borrow" may take in advance; "of ceiling" is its share of what the layout
has. Duplicates: in one tight burst, and after the clock was put back while 1 to 400 IDs were made each millisecond;
"refused" is a generator that threw then. snowflakify and crypto.randomUUIDv7 read clocks that are not put back. Each ID of
@skorotkiewicz is awaited. tsid-ts takes IDs of milliseconds to come without a bound. Decoding starts from the string.`;
const WITHOUT_NODE_UUID_V7 = `crypto.randomUUIDv7 is skipped: Node ${process.version} doesn't have it.`;
const CLOCK_METHOD = `Each call is the only one in its turn of the event loop. Measured in stretches of 1,000 turns between the rounds of
the table above, after a warm-up; what counts is the quarter of them that was quickest with all calls together, and of
those the median. A disturbed machine doubles every figure, but not the 60 ns: "Date.now() and any 18 digits" shows whether
any string of 18 digits can meet the goal then.`;
const QUICK_NOTE = '\nA smoke run: that it runs is the result, the numbers mean nothing.\n';

/** The whole report as text. */
export function reportText(report: Report): string {
  const { comparison, growth } = report;
  return [
    report.quick ? QUICK_NOTE : '',
    section('IDs: all rivals', comparisonTable(comparison), notesOf(report)),
    section('This library against others', ratioTable(report.ratios)),
    section('The clock, and calls that are rare', clockTable(report.clockCost), CLOCK_METHOD),
    section('Dense loops that keep nothing', denseTable(report.dense)),
    section('Exhausted sequences and memory', exhaustionTable(report.exhaustion, report.memory)),
    section(
      'Cost per ID by number of generators in one process',
      growthTable('generators', growth.instances),
    ),
    section('Cost per ID by layout', growthTable('layout', growth.layouts)),
    section('Cost per ID by size of the batch', growthTable('IDs per call', growth.batches)),
  ].join('\n');
}

function section(title: string, table: string, note?: string): string {
  return `\n## ${title}\n\n${table}\n${note ? `\n${note}\n` : ''}`;
}

function notesOf(report: Report): string {
  const notes = [METHOD, controlLine(report)];
  if (randomUUIDv7 === undefined) notes.push(WITHOUT_NODE_UUID_V7);
  return notes.join('\n\n');
}

function controlLine({ controlDuplicates }: Report): string {
  const count = controlDuplicates.toLocaleString('en-US');
  return `Control: two generators with one worker ID, which no lease allows, made ${count} duplicates in the same burst.`;
}

function comparisonTable(standings: readonly Standing[]): string {
  const columns = [
    'package',
    'version',
    'bigint ns',
    'string ns',
    'decode ns',
    'sustained IDs/s',
    'of ceiling',
  ];
  return markdownTable(
    [...columns, 'duplicates, burst', 'duplicates, clock back'],
    standings.map((standing) => {
      const { rival, speed, sustainedPerSecond } = standing;
      const share = rival.idsPerMs === undefined ? undefined : sustainedPerSecond / (rival.idsPerMs * 1000);
      return [
        rival.name,
        rival.version,
        ns(speed.bigintNs),
        ns(speed.stringNs),
        ns(speed.decodeNs),
        Math.round(sustainedPerSecond),
        share === undefined ? DASH : `${(share * 100).toFixed(1)} %`,
        standing.burstDuplicates,
        clockStepCell(standing),
      ];
    }),
  );
}

function clockStepCell({ clockStep }: Standing): string | number {
  if (!clockStep) return DASH;
  const count = clockStep.duplicates.toLocaleString('en-US');
  return clockStep.refusal === undefined ? count : `${count}, refused`;
}

function ratioTable(all: readonly Ratio[]): string {
  return markdownTable(
    ['', 'ns', 'against', 'its ns', 'times as fast'],
    all.map(({ what, ours, oursNs, against, theirNs, timesAsFast }) => [
      `${ours}, ${what}`,
      ns(oursNs),
      against,
      ns(theirNs),
      timesAsFast.toFixed(2),
    ]),
  );
}

function clockTable({ dateNowNs, perTurn, perMs }: ClockCost): string {
  const clockNs = perTurn[0]?.medianNs ?? Number.NaN;
  const goalNs = sparseGoalNs(clockNs);
  const verdict = (valueNs: number): string => `${ns(goalNs)}, ${valueNs <= goalNs ? 'met' : 'not met'}`;
  const row = ({ what, medianNs, meanNs }: SparseCost, pace: string, goal: string): string[] => [
    `${what}, ${pace}`,
    ns(medianNs),
    ns(meanNs),
    (medianNs / clockNs).toFixed(2),
    goal,
  ];
  return markdownTable(
    ['', 'median ns', 'mean ns', 'looks at the clock', '1.2 × Date.now() + 60 ns'],
    [
      ['Date.now() in a loop', ns(dateNowNs), DASH, DASH, DASH],
      ...perTurn.map((cost, at) =>
        row(cost, 'one per turn of the event loop', at === 0 ? DASH : verdict(cost.medianNs)),
      ),
      ...perMs.slice(1).map((cost) => row(cost, 'the first of its millisecond', DASH)),
    ],
  );
}

function denseTable(costs: readonly DenseCost[]): string {
  const clockNs = costs[0]?.leastNs ?? Number.NaN;
  return markdownTable(
    ['', 'least ns', 'median ns', 'looks at the clock'],
    costs.map(({ what, leastNs, medianNs }) => [
      what,
      ns(leastNs),
      ns(medianNs),
      (leastNs / clockNs).toFixed(2),
    ]),
  );
}

function exhaustionTable(exhaustion: Exhaustion, memory: MemoryUse): string {
  const burst = exhaustion.burstIds.toLocaleString('en-US');
  return markdownTable(
    ['', 'measured'],
    [
      [`burst of ${burst} IDs, borrow`, `${exhaustion.borrowBurstMs.toFixed(2)} ms`],
      [`burst of ${burst} IDs, wait`, `${exhaustion.waitBurstMs.toFixed(2)} ms`],
      ['sustained, wait', `${Math.round(exhaustion.waitPerSecond).toLocaleString('en-US')} IDs/s`],
      ['sustained, wait, of 4,096,000/s', `${(exhaustion.waitShare * 100).toFixed(1)} %`],
      [`heap before ${memory.ids.toLocaleString('en-US')} IDs`, mib(memory.beforeBytes)],
      ['heap after them', mib(memory.afterBytes)],
    ],
  );
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

function growthTable(what: string, points: readonly GrowthPoint[]): string {
  return markdownTable(
    [what, 'bigint ns', 'string ns'],
    points.map(({ name, bigintNs, stringNs }) => [name, ns(bigintNs), ns(stringNs)]),
  );
}

function ns(value: number | undefined): string {
  return value === undefined ? DASH : value.toFixed(1);
}
