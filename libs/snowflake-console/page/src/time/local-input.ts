const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The last instant that an ECMAScript Date can hold, in the year 275,760. */
export const LAST_DATE_MS = 8.64e15;

/** Returns by how many minutes the clocks of a zone are ahead of UTC at an instant. */
export type OffsetAt = (timeMs: number) => number;

/** The zone of the viewer. */
export const localOffset: OffsetAt = (timeMs) => -new Date(timeMs).getTimezoneOffset();
export const noOffset: OffsetAt = () => 0;

/** The value of an `<input type="datetime-local">`, and its instant. */
export interface Moment {
  readonly text: string;
  /** Missing if the text is not a time, or if the clocks never show it. */
  readonly ms?: number;
}

/** A time on a wall clock, and its instants. */
export interface WallTime {
  /** Usually one instant; two if the clocks show the time twice; two, an hour apart, if they skip it. */
  readonly instants: readonly number[];
  readonly isSkipped: boolean;
}

/** Years of four to six digits, as HTML has them. Seconds and their parts may be missing. */
const INPUT = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/;

/** Returns what an input shows for an instant, or an empty text if it can't show it. */
export function inputOf(timeMs: number, offsetAt: OffsetAt = localOffset): string {
  if (!isDate(timeMs)) return '';
  const wallMs = timeMs + offsetAt(timeMs) * MINUTE_MS;
  if (!isDate(wallMs)) return '';
  const iso = new Date(wallMs).toISOString().slice(0, -1);
  // ISO 8601 writes years of more than four digits with a sign, HTML without.
  return iso.startsWith('-') ? '' : iso.replace(/^\+0*/, '');
}

/** Returns the moment of an instant. */
export function momentOf(timeMs: number, offsetAt: OffsetAt = localOffset): Moment {
  return { text: inputOf(timeMs, offsetAt), ms: timeMs };
}

/** Returns when the clocks of a zone show what an input holds, or undefined if it holds no time. */
export function wallTime(input: string, offsetAt: OffsetAt = localOffset): WallTime | undefined {
  const wallMs = wallMsOf(input);
  if (wallMs === undefined) return undefined;
  const offsets = [...new Set([wallMs - DAY_MS, wallMs + DAY_MS].map(offsetAt))];
  const candidates = offsets.map((offset) => wallMs - offset * MINUTE_MS).filter(isDate);
  const shown = candidates.filter((timeMs) => timeMs + offsetAt(timeMs) * MINUTE_MS === wallMs);
  const isSkipped = shown.length === 0 && candidates.length > 0;
  const instants = (isSkipped ? candidates : shown).toSorted((a, b) => a - b);
  return instants.length === 0 ? undefined : { instants, isSkipped };
}

/** Returns the moment that an input means. Of two, the earlier. None if the clocks skip it. */
export function momentFrom(input: string, offsetAt: OffsetAt = localOffset): Moment {
  const wall = wallTime(input, offsetAt);
  return !wall || wall.isSkipped ? { text: input } : { text: input, ms: wall.instants[0] };
}

/** Returns an offset as `UTC+05:45`. */
export function offsetText(timeMs: number, offsetAt: OffsetAt = localOffset): string {
  const offset = offsetAt(timeMs);
  const minutes = Math.round(Math.abs(offset));
  return `UTC${offset < 0 ? '−' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function wallMsOf(input: string): number | undefined {
  const parts = INPUT.exec(input);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const date = new Date(0);
  // `Date.UTC` treats the years 0 to 99 as those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second || 0, Number((parts[7] ?? '').padEnd(3, '0')));
  const wallMs = date.getTime();
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const isReal = isDay && hour < 24 && minute < 60 && (second || 0) < 60;
  return isReal ? wallMs : undefined;
}

function isDate(timeMs: number): boolean {
  return Math.abs(timeMs) <= LAST_DATE_MS;
}
