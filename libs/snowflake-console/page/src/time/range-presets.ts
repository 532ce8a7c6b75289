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
      return [midnight(nowMs, 0, offsetAt), midnight(nowMs, 1, offsetAt)];
    case 'yesterday':
      return [midnight(nowMs, -1, offsetAt), midnight(nowMs, 0, offsetAt)];
    case 'lastWeek':
      return [midnight(nowMs, -7, offsetAt), midnight(nowMs, 0, offsetAt)];
  }
}

/** The first instant of a day of a zone, so many days from now. Some zones skip midnight when their clocks change. */
function midnight(nowMs: number, days: number, offsetAt: OffsetAt): number {
  const day = new Date(nowMs + offsetAt(nowMs) * MINUTE_MS);
  day.setUTCDate(day.getUTCDate() + days);
  const wall = wallTime(`${day.toISOString().slice(0, 10)}T00:00`, offsetAt);
  return (wall?.isSkipped ? wall.instants.at(-1) : wall?.instants[0]) ?? nowMs;
}
