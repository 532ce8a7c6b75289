import { type DateForm, InvalidDateError } from './series-errors.js';

/** A day of the Gregorian calendar, as people write it on a document. */
export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

/** Years outside of it don't have four digits. */
export const YEARS = { first: 1000, last: 9999 } as const;

/** A week of ISO 8601. Its year can differ from that of the date. */
export interface IsoWeek {
  readonly year: number;
  /** 1 to 53. */
  readonly week: number;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns the number of a day: 0001-01-01 has 1. */
function dayNumber({ year, month, day }: CivilDate): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  return before * 365 + leapDays + dayOfYear({ year, month, day });
}

/** Returns the day within the year, from 1. */
function dayOfYear({ year, month, day }: CivilDate): number {
  return (DAYS_BEFORE_MONTH[month - 1] ?? 0) + day + (month > 2 && isLeapYear(year) ? 1 : 0);
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Returns the number of days of a month. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Returns the quarter, 1 to 4. */
export function quarterOf({ month }: CivilDate): number {
  return Math.ceil(month / 3);
}

/** Returns the week by ISO 8601: it begins on Monday and belongs to the year of its Thursday. */
export function isoWeekOf(date: CivilDate): IsoWeek {
  // The day 1 was a Monday.
  const weekday = (dayNumber(date) - 1) % 7;
  const thursday = dayOfYear(date) + 3 - weekday;
  const daysInYear = isLeapYear(date.year) ? 366 : 365;
  if (thursday < 1) return isoWeekOf({ year: date.year - 1, month: 12, day: 31 });
  if (thursday > daysInYear) return { year: date.year + 1, week: 1 };
  return { year: date.year, week: Math.ceil(thursday / 7) };
}

/** Returns the date as `2026-11-23`. */
export function writeDate({ year, month, day }: CivilDate): string {
  return `${year}-${padded(month)}-${padded(day)}`;
}

/** Returns the date of a text such as `2026-11-23`; `undefined` if it is another text. @throws InvalidDateError */
export function readDate(source: string, text: string, form?: DateForm): CivilDate | undefined {
  const found = DATE.exec(text);
  if (!found) return undefined;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (isDate && year >= YEARS.first) return { year, month, day };
  throw new InvalidDateError(source, text, 'is not a day of the years 1000 to 9999', form);
}

function padded(number: number): string {
  return String(number).padStart(2, '0');
}
