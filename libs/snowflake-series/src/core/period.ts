import { InvalidOptionError } from 'nestjs-snowflake/core';
import { daysInMonth, quarterOf, writeDate, type CivilDate } from './civil-date.js';

/** When a series starts again at 1. */
export type SeriesReset = 'never' | 'year' | 'fiscal' | 'quarter' | 'month' | 'day';

export const SERIES_RESETS: readonly SeriesReset[] = ['never', 'year', 'fiscal', 'quarter', 'month', 'day'];

/** First day of a fiscal year: a month and a day. */
export interface FiscalStart {
  readonly month: number;
  readonly day: number;
}

/** The years in which a fiscal year begins and ends. */
export interface FiscalYear {
  readonly start: number;
  readonly end: number;
}

/** Returns the first day of fiscal years, given as `MM-DD`. @throws InvalidOptionError */
export function readFiscalStart(value: unknown): FiscalStart {
  const found = typeof value === 'string' ? /^(\d{2})-(\d{2})$/.exec(value) : null;
  const [month = 0, day = 0] = (found ?? []).slice(1).map(Number);
  // 2001 has no February 29: every year must have the day.
  if (month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(2001, month)) return { month, day };
  throw new InvalidOptionError(
    'fiscalYearStart',
    value,
    'is not a day that every year has',
    "Write month and day, for example '04-01'.",
  );
}

/** Returns the fiscal year of a date. */
export function fiscalYearOf({ year, month, day }: CivilDate, first: FiscalStart): FiscalYear {
  const hasBegun = month > first.month || (month === first.month && day >= first.day);
  const start = hasBegun ? year : year - 1;
  return { start, end: first.month === 1 && first.day === 1 ? start : start + 1 };
}

/**
 * Returns the name of a date's period, under which the database counts. It does not depend on the format: a month in the
 * text does not start the numbers anew.
 */
export function periodOf(date: CivilDate, resets: SeriesReset, fiscalStart: FiscalStart): string {
  switch (resets) {
    case 'never':
      return 'all';
    case 'year':
      return String(date.year);
    case 'fiscal':
      return `FY${fiscalYearOf(date, fiscalStart).start}`;
    case 'quarter':
      return `${date.year}-Q${quarterOf(date)}`;
    case 'month':
      return writeDate(date).slice(0, 7);
    case 'day':
      return writeDate(date);
  }
}
