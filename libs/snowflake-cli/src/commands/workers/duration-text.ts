const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** Returns a duration in its largest whole unit, with the rest in the next one: `2 h 5 min`. */
export function durationText(durationMs: number): string {
  const first = UNITS.findIndex(([, lengthMs]) => durationMs >= lengthMs);
  const [unit, lengthMs] = UNITS[first] ?? [];
  if (lengthMs === undefined) return `${Math.max(0, Math.round(durationMs))} ms`;
  const whole = `${Math.floor(durationMs / lengthMs)} ${unit}`;
  const [nextUnit, nextLengthMs] = UNITS[first + 1] ?? [];
  const rest = nextLengthMs === undefined ? 0 : Math.floor((durationMs % lengthMs) / nextLengthMs);
  return rest === 0 ? whole : `${whole} ${rest} ${nextUnit}`;
}
