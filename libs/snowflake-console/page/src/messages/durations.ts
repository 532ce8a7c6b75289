import { numberText } from './messages.js';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Returns a duration in its largest whole unit, with the rest in the next one: `2 hr 5 min`. */
export function durationText(durationMs: number): string {
  const magnitude = Math.abs(durationMs);
  const first = UNITS.findIndex(([, lengthMs]) => magnitude >= lengthMs);
  const [unit, lengthMs] = UNITS[first] ?? [];
  if (unit === undefined || lengthMs === undefined) return inUnit(Math.round(magnitude), 'millisecond');
  const whole = inUnit(Math.floor(magnitude / lengthMs), unit);
  const [nextUnit, nextLengthMs] = UNITS[first + 1] ?? [];
  if (nextUnit === undefined || nextLengthMs === undefined) return whole;
  const rest = Math.floor((magnitude % lengthMs) / nextLengthMs);
  return rest === 0 ? whole : `${whole} ${inUnit(rest, nextUnit)}`;
}

function inUnit(value: number, unit: string): string {
  return numberText(value, { style: 'unit', unit, unitDisplay: 'short' });
}
