const MINUTE_MS = 60_000;

/** Units of an age, from the longest, in milliseconds. A year has 365.2425 days. */
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['year', 31_556_952_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', MINUTE_MS],
  ['second', 1000],
];

/** Returns a time in the zone of the process as ISO 8601, with the name of the zone. */
export function localTime(timeMs: number): string {
  const offsetMinutes = -new Date(timeMs).getTimezoneOffset();
  const local = new Date(timeMs + offsetMinutes * MINUTE_MS).toISOString().slice(0, -1);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return `${local}${offset(offsetMinutes)} (${timeZone})`;
}

function offset(minutes: number): string {
  const total = Math.abs(minutes);
  const parts = [Math.floor(total / 60), total % 60].map((part) => String(part).padStart(2, '0'));
  return `${minutes < 0 ? '-' : '+'}${parts.join(':')}`;
}

/** Returns how long ago a time is, or how far ahead, in the longest unit that fits: `2 days ago`. */
export function relativeTime(timeMs: number, nowMs: number): string {
  const aheadMs = timeMs - nowMs;
  const [unit, ms] = UNITS.find(([, each]) => Math.abs(aheadMs) >= each) ?? ['second', 1000];
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(aheadMs / ms), unit);
}
