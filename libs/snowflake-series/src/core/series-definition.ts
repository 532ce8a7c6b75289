import { type DateForm, InvalidDateError } from './series-errors.js';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { checkedOptions } from 'nestjs-snowflake/internal/core/options/option-rule';
import { readDate, type CivilDate } from './civil-date.js';
import { periodOf, readFiscalStart, type FiscalStart, type SeriesReset } from './period.js';
import { SeriesFormat, type NumberParts } from './series-format.js';
import { SERIES_OPTIONS, type SeriesOptions } from './series-options.js';
import { Zone } from './zone.js';

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

const NOT_OF: Readonly<Record<DateForm, string>> = {
  any: 'is neither a date nor a timestamp with an offset',
  date: 'is not a date',
  instant: 'is not a timestamp with an offset',
};

/** The rules of a series, checked and compiled. */
export class SeriesDefinition {
  private readonly format: SeriesFormat;
  private readonly zone: Zone;
  private readonly resets: SeriesReset;
  private readonly fiscalStart: FiscalStart | undefined;
  /** What decides the numbers. */
  private readonly rules: Readonly<Record<string, unknown>>;

  /** @throws InvalidOptionError */
  constructor(readonly options: SeriesOptions) {
    const checked = checkedOptions('options', options, SERIES_OPTIONS);
    const { format, resets, zone, fiscalYearStart, maxLength, charset } = checked;
    this.resets = resets;
    this.zone = Zone.named(zone);
    this.fiscalStart = fiscalYearStart === undefined ? undefined : readFiscalStart(fiscalYearStart);
    this.format = new SeriesFormat(format, { resets, fiscalStart: this.fiscalStart, maxLength, charset });
    this.rules = { format, resets, zone, fiscalYearStart, maxLength: this.maxLength, charset };
  }

  /** Returns the options in which another definition differs, as text; empty if both make the same numbers. */
  differencesFrom(other: SeriesDefinition): string {
    return Object.keys(this.rules)
      .filter((name) => this.rules[name] !== other.rules[name])
      .map((name) => `${name} ${showValue(this.rules[name])} here, ${showValue(other.rules[name])} there`)
      .join('; ');
  }

  /** Longest text of a number. */
  get maxLength(): number {
    return this.format.maxLength;
  }

  /** The names of the fields in the format. */
  get fieldNames(): string[] {
    return this.format.fieldNames;
  }

  /** Whether the scope is in the text. */
  get hasScope(): boolean {
    return this.format.hasScope;
  }

  /**
   * Returns the date of a document: a `Date` and a timestamp with an offset are instants, which have a date in the zone of the
   * series; `2026-12-31` is a date already.
   *
   * @param form what the column of the document holds: a database would make another date of the other form
   * @throws InvalidDateError
   */
  dateOf(source: string, given: unknown, form: DateForm = 'any'): CivilDate {
    const refused = (problem: string): InvalidDateError => new InvalidDateError(source, given, problem, form);
    if (given instanceof Date && form !== 'date') return this.zone.dateAt(source, given.getTime());
    if (typeof given !== 'string') throw refused(NOT_OF[form]);
    const date = readDate(source, given, form);
    if (date && form === 'instant') throw refused('is a date, but its column holds timestamps');
    if (date) return date;
    // Date.parse() takes February 30 for March 2.
    if (!INSTANT.test(given) || !readDate(source, given.slice(0, 10), form)) throw refused(NOT_OF[form]);
    if (form === 'date') throw refused('is a timestamp, but its column holds dates');
    return this.zone.dateAt(source, Date.parse(given));
  }

  /** Returns the date at an instant of the database's clock, in Unix milliseconds. @throws InvalidDateError */
  dateAt(instantMs: number): CivilDate {
    return this.zone.dateAt('date', instantMs);
  }

  /** Returns the period in which a date counts. */
  periodOf(date: CivilDate): string {
    return periodOf(date, this.resets, this.fiscalStart ?? { month: 1, day: 1 });
  }

  /** Returns the text of a number. @throws InvalidOptionError, SeriesExhaustedError */
  write(parts: NumberParts): string {
    return this.format.write(parts);
  }
}
