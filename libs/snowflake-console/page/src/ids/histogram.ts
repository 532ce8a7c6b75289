import type { Reading } from './reading.js';

export interface Bar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

export interface WorkerCount {
  readonly workerId: number;
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

/** Counts the IDs by worker ID, the most frequent first. */
export function byWorker(readings: readonly Reading[]): WorkerCount[] {
  const counts = new Map<number, number>();
  for (const { fields } of readings) {
    if (fields) counts.set(fields.workerId, (counts.get(fields.workerId) ?? 0) + 1);
  }
  return [...counts]
    .map(([workerId, count]) => ({ workerId, count }))
    .sort((a, b) => b.count - a.count || a.workerId - b.workerId);
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
