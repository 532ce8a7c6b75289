import { InvalidDateError } from './series-errors.js';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { YEARS, type CivilDate } from './civil-date.js';

/** A region such as `Europe/Berlin`, or `UTC`. Fixed offsets have no rules for summer time. */
const ZONE_NAME = /^(UTC|[A-Za-z_]+(\/[A-Za-z0-9_+-]+)+)$/;

/** A time zone of the IANA database, by the data of this Node. */
export class Zone {
  private constructor(
    readonly name: string,
    private readonly format: Intl.DateTimeFormat,
  ) {}

  /** @throws InvalidOptionError if it is not the name of a zone */
  static named(name: unknown): Zone {
    if (typeof name === 'string' && ZONE_NAME.test(name)) {
      try {
        return new Zone(name, calendarIn(name));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    const remedy = "Name the zone of the documents, for example 'Europe/Berlin' or 'UTC'.";
    throw new InvalidOptionError('zone', name, 'is not an IANA time zone', remedy);
  }

  /**
   * Returns the date in this zone at an instant.
   *
   * @param instantMs Unix time in milliseconds
   * @throws InvalidDateError if its year has not four digits
   */
  dateAt(source: string, instantMs: number): CivilDate {
    const parts = Number.isFinite(instantMs) ? this.partsAt(instantMs) : undefined;
    if (parts && parts.year >= YEARS.first && parts.year <= YEARS.last) return parts;
    throw new InvalidDateError(source, instantMs, 'is not an instant of the years 1000 to 9999');
  }

  private partsAt(instantMs: number): CivilDate | undefined {
    try {
      const parts = this.format.formatToParts(instantMs);
      if (parts.some(({ type, value }) => type === 'era' && !value.startsWith('A'))) return undefined;
      const valueOf = (wanted: string): number => Number(parts.find(({ type }) => type === wanted)?.value);
      return { year: valueOf('year'), month: valueOf('month'), day: valueOf('day') };
    } catch (error) {
      // It is beyond what a Date can represent.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

/** Names everything, so that no default of the process counts. */
function calendarIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
}
