import type { Reading } from './reading.js';

export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Round lengths for the time of a bar. */
const STEPS_MS = [
  ...[1, 10, 100].map((ms) => ms),
  ...[1, 5, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 7, 30, 91, 365, 3650].map((days) => days * DAY),
];
const MOST_BARS = 60;

/** Counts the IDs over time, in at most 60 bars of one length. */
export function overTime(readings: readonly Reading[]): Bar[] {
  const times = readings.flatMap(({ fields }) => (fields ? [fields.timestampMs] : []));
  if (times.length === 0) return [];
  const [first, last] = boundsOf(times);
  const stepMs = STEPS_MS.find((step) => barsBetween(first, last, step) <= MOST_BARS) ?? last - first + 1;
  const start = Math.floor(first / stepMs) * stepMs;
  const counts = new Array<number>(barsBetween(first, last, stepMs)).fill(0);
  for (const time of times) {
    const bar = Math.floor((time - start) / stepMs);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return counts.map((count, bar) => ({
    fromMs: start + bar * stepMs,
    toMs: start + (bar + 1) * stepMs,
    count,
  }));
}

/** Fewer IDs are shown from the first to the last. */
const LEAST_CLIPPED = 20;
const CLIPPED_SHARE = 0.01;
/** Times that lie apart by less are shown, too. */
const FAR_APART = 4;

/** The bars of the usual times, and how many IDs lie before and after them. */
export interface TimeChart {
  readonly bars: readonly Bar[];
  readonly before: number;
  readonly after: number;
}

/** Leaves out the first and the last hundredth if they would squeeze all others into few bars. */
export function timeChart(readings: readonly Reading[]): TimeChart {
  const timed = readings.filter(({ fields }) => fields);
  const times = timed.map(timeOf).sort((a, b) => a - b);
  const whole = { bars: overTime(timed), before: 0, after: 0 };
  if (times.length < LEAST_CLIPPED) return whole;
  const edge = Math.ceil(times.length * CLIPPED_SHARE);
  const [first = 0, last = 0] = [times[edge], times.at(-1 - edge)];
  if ((times.at(-1) ?? 0) - (times[0] ?? 0) < FAR_APART * (last - first)) return whole;
  return {
    bars: overTime(timed.filter((reading) => timeOf(reading) >= first && timeOf(reading) <= last)),
    before: times.filter((time) => time < first).length,
    after: times.filter((time) => time > last).length,
  };
}

function timeOf({ fields }: Reading): number {
  return fields?.timestampMs ?? Number.NaN;
}

function barsBetween(first: number, last: number, step: number): number {
  return Math.floor(last / step) - Math.floor(first / step) + 1;
}

function boundsOf(values: readonly number[]): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}
