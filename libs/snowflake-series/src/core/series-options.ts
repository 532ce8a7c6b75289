import {
  oneOf,
  type OptionRules,
  unchecked,
  wholeNumber,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import { SERIES_RESETS, type SeriesReset } from './period.js';

/** How the numbers of a series look, and when they restart. */
export interface SeriesOptions {
  /**
   * Text of the numbers, with tokens.
   * Bounds: `{number}` once, and the tokens that distinguish the periods of `resets`.
   *
   * - `{number:5}`: the number, with leading zeros up to 5 digits; a larger number is wider
   * - `{year}`, `{month}`, `{day}`, `{quarter}`: of the document's date; `{year:2}` has two digits
   * - `{week}`, `{weekyear}`: the week by ISO 8601, and the year it belongs to
   * - `{fiscalyear}`, `{fiscalend}`: the years in which the fiscal year begins and ends
   * - `{scope}`, `{field:branch}`: texts that the caller passes; `{scope:8}` and `{field:branch:8}` have at most 8
   *   characters
   * - a doubled brace: a brace
   */
  readonly format: string;
  /**
   * When the numbers restart at 1.
   * Bounds: `'never'`, `'year'`, `'fiscal'`, `'quarter'`, `'month'`, `'day'`.
   */
  readonly resets: SeriesReset;
  /**
   * The time zone that decides the date of a document. The time zone and the clock of the process have no effect.
   * Bounds: the name of an IANA zone, such as `'Europe/Berlin'`, or `'UTC'`.
   */
  readonly zone: string;
  /**
   * First day of the fiscal year, as `MM-DD`.
   *
   * @defaultValue `'01-01'`; required with `resets: 'fiscal'` and with the tokens of the fiscal year
   */
  readonly fiscalYearStart?: string;
  /**
   * Longest text of a number, in characters. The series refuses a longer number.
   * Bounds: 1 to 128.
   *
   * If you set it, `{scope}` and `{field:…}` each need their own length.
   *
   * @defaultValue `64`
   */
  readonly maxLength?: number;
  /**
   * The characters that a number may have, as characters and ranges such as `'A-Z0-9/-'`.
   *
   * @defaultValue every character that is not a control character
   */
  readonly charset?: string;
}

/** Longest text of a number that the tables hold, in characters. */
export const LONGEST_NUMBER = 128;

/** The format, its characters, the zone and the fiscal year are checked where they are compiled. */
export const SERIES_OPTIONS = {
  format: unchecked<string>(),
  resets: oneOf(...SERIES_RESETS),
  zone: unchecked<string>(),
  fiscalYearStart: unchecked<string | undefined>(),
  maxLength: wholeNumber(1, LONGEST_NUMBER).optional(),
  charset: unchecked<string | undefined>(),
} satisfies OptionRules<SeriesOptions>;
