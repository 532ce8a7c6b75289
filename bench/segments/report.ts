import { markdownTable } from '../support/table.js';
import { CALLS_PER_TURN, GOAL_NS, type SingleCalls } from './measure/single-calls.js';
import type { SegmentReport } from './measure/measure.js';
import type { Speed } from './measure/speed.js';
import { FULL } from './settings.js';

const BATCH_METHOD = `ns per number in batches of ${count(FULL.callsPerRound)} calls, loop included, in the quickest round. "times next()" is the ratio to next().
The first four rows are of a process that has seen no number beyond 2^31; the others come after it. No other npm package was
found that hands out blocks of numbers, so the rivals are what apps use instead.`;
const SINGLE_METHOD = `The clock is read before and after each call, and as often around an empty function, in turns, ${count(CALLS_PER_TURN)} calls per
turn of the event loop. So both rows contain the clock and whatever disturbs the machine. "More than expected" is the share
of calls above ${GOAL_NS} ns, minus that of the empty function times the ratio of the medians: a disturbance meets a longer call
more often. The goal for any call is at most 0.01 %; of five rounds, the one counts in which the empty function was disturbed
least. The first call of a turn finds cold caches. The first call of a segment
has work to do once per segment, and never waits.`;
const TRAFFIC_METHOD = `100,000 numbers a second for each latency of the store, 250,000 numbers a claim. The longest call contains
whatever disturbed the machine.`;

/** The report as text. */
export function segmentText({ speeds, singleCalls, traffic, uniqueness }: SegmentReport): string {
  const { numbers, duplicates, controlDuplicates } = uniqueness;
  const trafficTable = markdownTable(
    ['store answers after', 'numbers', 'segments', 'turns without a number', 'longest call'],
    traffic.map((each) => [
      `${each.latencyMs} ms`,
      each.numbers,
      each.segments,
      each.starved,
      `${each.longestUs.toFixed(1)} µs`,
    ]),
  );
  const found = `${count(duplicates)} duplicates among ${count(numbers)} numbers of four sources. Control: the same sources without a
common counter made ${count(controlDuplicates)}.`;
  return [
    section('Segments: ns per number', speedTable(speeds), BATCH_METHOD),
    section('Segments: single calls', singleTable(singleCalls), SINGLE_METHOD),
    section('Segments: a slow database', trafficTable, TRAFFIC_METHOD),
    found,
  ].join('\n');
}

function speedTable(speeds: readonly Speed[]): string {
  const baseNs = speeds.find(({ what }) => what === 'next()')?.ns ?? Number.NaN;
  return markdownTable(
    ['', 'ns', 'times next()'],
    speeds.map(({ what, ns }) => [what, ns.toFixed(1), (ns / baseNs).toFixed(2)]),
  );
}

function singleTable(all: readonly SingleCalls[]): string {
  const rows = all.flatMap(({ what, calls, control, shareAbove, controlShareAbove, excessShare }) => [
    [
      `${what}, next()`,
      ...cells(calls),
      percent(shareAbove),
      what === 'any call' ? percent(excessShare) : '–',
    ],
    [`${what}, an empty function`, ...cells(control), percent(controlShareAbove), '–'],
  ]);
  return markdownTable(
    ['', 'p50', 'p99', 'p99.99', 'longest', `above ${GOAL_NS} ns`, 'more than expected'],
    rows,
  );
}

function cells({ p50Ns, p99Ns, p9999Ns, longestNs }: SingleCalls['calls']): string[] {
  return [p50Ns, p99Ns, p9999Ns, longestNs].map((ns) => `${count(ns)} ns`);
}

function section(title: string, table: string, note: string): string {
  return `\n## ${title}\n\n${table}\n\n${note}\n`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(4)} %`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
