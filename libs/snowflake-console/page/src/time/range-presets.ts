import { type OffsetAt, wallTime } from './local-input.js';

export const RANGE_PRESETS = ['lastHour', 'today', 'yesterday', 'lastWeek'] as const;
export type RangePreset = (typeof RANGE_PRESETS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Returns a usual range, in the days of a zone. Minutes are whole, so that the fields are easy to read. */
export function presetRange(
  preset: RangePreset,
  nowMs: number,
  offsetAt: OffsetAt,
): readonly [number, number] {
  const minuteMs = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
  switch (preset) {
    case 'lastHour':
      return [minuteMs - HOUR_MS, minuteMs];
    case 'today':
      return [hourOf(nowMs, 0, offsetAt), hourOf(nowMs, 24, offsetAt)];
    case 'yesterday':
      return [hourOf(nowMs, -24, offsetAt), hourOf(nowMs, 0, offsetAt)];
    case 'lastWeek':
      return [hourOf(nowMs, -7 * 24, offsetAt), hourOf(nowMs, 0, offsetAt)];
  }
}

/** Returns an hour of the day of an instant, from 0 to 23. An hour that the clocks show twice is two hours long. */
export function hourRange(timeMs: number, hour: number, offsetAt: OffsetAt): readonly [number, number] {
  return [hourOf(timeMs, hour, offsetAt), hourOf(timeMs, hour + 1, offsetAt)];
}

/**
 * The first instant of an hour on the clocks of a zone, counted from the midnight before `timeMs`. 24 is the next midnight, -24 the one before. Some
 * zones skip an hour when their clocks change.
 */
function hourOf(timeMs: number, hour: number, offsetAt: OffsetAt): number {
  const day = new Date(timeMs + offsetAt(timeMs) * MINUTE_MS);
  day.setUTCHours(hour, 0);
  const wall = wallTime(`${day.toISOString().slice(0, 13)}:00`, offsetAt);
  return (wall?.isSkipped ? wall.instants.at(-1) : wall?.instants[0]) ?? timeMs;
}
