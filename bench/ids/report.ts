import { markdownTable } from '../support/table.js';
import type { Standing } from './comparison.js';
import type { ClockCost } from './measure/clock-cost.js';
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
}

const DASH = '–';
const METHOD = `ns per ID: the median of bursts of 4,000 IDs (nodejs-snowflake: 1,000, it has 1,024 per millisecond) with a
rest before each, the same for all, in the quickest of ${FULL.rounds} rounds. Without the rests, every correct generator with 12 bits
of sequence comes to 244 ns. Duplicates: in one tight burst, and after the clock was set back while 1 to 400 IDs were made each
millisecond; "refused" is a generator that threw then. snowflakify and crypto.randomUUIDv7 read clocks that are not set back. Each ID
of @skorotkiewicz is awaited. tsid-ts takes IDs of milliseconds to come without a bound.`;
const WITHOUT_NODE_UUID_V7 = `crypto.randomUUIDv7 is skipped: Node ${process.version} doesn't have it.`;
const CLOCK_METHOD = `Each call is the only one in its turn of the event loop. They are measured in stretches of 1,000 turns between the
rounds of the table above. The quarter of them counts that was quickest with all calls together, and of those the median.`;

/** The whole report as text. */
export function reportText({ quick, comparison, controlDuplicates, ratios, clockCost }: Report): string {
  const control = controlDuplicates.toLocaleString('en-US');
  return [
    quick ? '\nA smoke run: that it runs is the result, the numbers mean nothing.\n' : '',
    section('IDs: all rivals', comparisonTable(comparison), METHOD),
    `Control: two generators with one worker ID, which no lease allows, made ${control} duplicates in the same burst.`,
    randomUUIDv7 === undefined ? WITHOUT_NODE_UUID_V7 : '',
    section('This library against others', ratioTable(ratios)),
    section('The clock, and calls that are rare', clockTable(clockCost), CLOCK_METHOD),
  ].join('\n');
}

function section(title: string, table: string, note?: string): string {
  return `\n## ${title}\n\n${table}\n${note ? `\n${note}\n` : ''}`;
}

function comparisonTable(standings: readonly Standing[]): string {
  return markdownTable(
    ['package', 'version', 'bigint ns', 'string ns', 'duplicates, burst', 'duplicates, clock back'],
    standings.map(({ rival, speed, burstDuplicates, clockStep }) => [
      rival.name,
      rival.version,
      ns(speed.bigintNs),
      ns(speed.stringNs),
      burstDuplicates,
      clockStep
        ? `${clockStep.duplicates.toLocaleString('en-US')}${clockStep.refusal ? ', refused' : ''}`
        : DASH,
    ]),
  );
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

function clockTable({ dateNowNs, perTurn }: ClockCost): string {
  const clockNs = perTurn[0]?.medianNs ?? Number.NaN;
  return markdownTable(
    ['', 'ns', 'times Date.now()'],
    [
      ['Date.now() in a loop', ns(dateNowNs), DASH],
      ...perTurn.map(({ what, medianNs }) => [
        `${what}, one per turn of the event loop`,
        ns(medianNs),
        (medianNs / clockNs).toFixed(2),
      ]),
    ],
  );
}

function ns(value: number | undefined): string {
  return value === undefined ? DASH : value.toFixed(1);
}
