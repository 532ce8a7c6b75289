import { computed } from '@preact/signals';
import { language } from '../state/preferences.js';

const DATE_AND_TIME: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
};

const localFormat = computed(
  () => new Intl.DateTimeFormat(language.value, { ...DATE_AND_TIME, timeZoneName: 'short' }),
);
const wallFormat = computed(() => new Intl.DateTimeFormat(language.value, DATE_AND_TIME));
const shortFormat = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
);
const relativeFormat = computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }));
const dateFormat = computed(
  () => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }),
);

/** The zone of the viewer, such as `Africa/Nairobi`. */
export const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns a time in the viewer's zone, with the zone named. */
export function localTime(timeMs: number): string {
  return isShowable(timeMs) ? localFormat.value.format(timeMs) : String(timeMs);
}

/** Returns a time in the viewer's zone, for a place that names the zone. */
export function wallTimeText(timeMs: number): string {
  return isShowable(timeMs) ? wallFormat.value.format(timeMs) : String(timeMs);
}

/** Returns a time in the viewer's zone without the year and the seconds. */
export function shortTime(timeMs: number): string {
  return isShowable(timeMs) ? shortFormat.value.format(timeMs) : String(timeMs);
}

const MINUTE_MS = 60_000;

/** Returns a time as people search for it: in the viewer's zone and in UTC, with the date before the time. */
export function searchedTimes(timeMs: number): string {
  if (!isShowable(timeMs)) return '';
  const localMs = timeMs - new Date(timeMs).getTimezoneOffset() * MINUTE_MS;
  const local = isShowable(localMs) ? new Date(localMs).toISOString().slice(0, -1).replace('T', ' ') : '';
  return `${local} ${utcTime(timeMs)}`;
}

/** Returns a time in UTC, as ISO 8601. */
export function utcTime(timeMs: number): string {
  return isShowable(timeMs) ? new Date(timeMs).toISOString() : String(timeMs);
}

/** Returns the date in UTC, written out. */
export function dateText(timeMs: number): string {
  return isShowable(timeMs) ? dateFormat.value.format(timeMs) : String(timeMs);
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_556_952_000],
  ['month', 2_629_746_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** Returns how long ago a time was, or how far ahead it is. */
export function relativeTime(timeMs: number, nowMs: number): string {
  const differenceMs = timeMs - nowMs;
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(differenceMs) >= ms) ?? (['second', 1000] as const);
  return relativeFormat.value.format(Math.trunc(differenceMs / length), unit);
}

const LAST_DATE_MS = 8.64e15;

function isShowable(timeMs: number): boolean {
  return Math.abs(timeMs) <= LAST_DATE_MS;
}
