import { InvalidOptionError } from 'nestjs-snowflake/core';
import { SeriesExhaustedError } from './series-errors.js';
import { Charset } from './charset.js';
import { isoWeekOf, quarterOf, type CivilDate } from './civil-date.js';
import { fixedLength, partsOf, type DateToken, type FormatPart } from './format-parts.js';
import { fiscalYearOf, type FiscalStart, type SeriesReset } from './period.js';
import { requireUnambiguous } from './unambiguous.js';

const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
export const DEFAULT_MAX_LENGTH = 64;

/** Everything besides the format that its check needs. */
export interface FormatDemands {
  readonly resets: SeriesReset;
  readonly fiscalStart: FiscalStart | undefined;
  readonly maxLength: number | undefined;
  readonly charset: string | undefined;
}

/** What a number is made of. */
export interface NumberParts {
  readonly date: CivilDate;
  readonly number: number;
  readonly scope: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A compiled format. */
export class SeriesFormat {
  private readonly parts: readonly FormatPart[];
  private readonly charset: Charset | undefined;
  readonly maxLength: number;

  /** @throws InvalidOptionError */
  constructor(
    private readonly text: string,
    private readonly demands: FormatDemands,
  ) {
    this.parts = partsOf(text);
    this.maxLength = demands.maxLength ?? DEFAULT_MAX_LENGTH;
    this.charset = demands.charset === undefined ? undefined : Charset.listed(demands.charset);
    this.checkCharacters();
    requireUnambiguous(text, this.parts, demands.resets);
    this.checkFiscalYear();
    this.checkLength();
  }

  /** The names of the fields in the format. */
  get fieldNames(): string[] {
    return this.parts.flatMap((part) => (part.kind === 'field' ? [part.name] : []));
  }

  /** Whether the scope is in the text. */
  get hasScope(): boolean {
    return this.parts.some(({ kind }) => kind === 'scope');
  }

  /** Returns the text of a number. @throws InvalidOptionError, SeriesExhaustedError if it is longer than `maxLength` */
  write(given: NumberParts): string {
    const text = this.parts.map((part) => this.writePart(part, given)).join('');
    if (text.length <= this.maxLength) return text;
    throw new SeriesExhaustedError(text, this.maxLength);
  }

  private writePart(part: FormatPart, given: NumberParts): string {
    switch (part.kind) {
      case 'literal':
        return part.text;
      case 'number':
        return String(given.number).padStart(part.digits, '0');
      case 'date':
        return this.dateText(part.token, given.date).slice(-part.digits).padStart(part.digits, '0');
      case 'scope':
        return this.foreignText('scope', given.scope, part.longest);
      case 'field':
        return this.foreignText(`fields.${part.name}`, given.fields[part.name], part.longest);
    }
  }

  private dateText(token: DateToken, date: CivilDate): string {
    const fiscalStart = this.demands.fiscalStart ?? { month: 1, day: 1 };
    switch (token) {
      case 'year':
      case 'month':
      case 'day':
        return String(date[token]);
      case 'quarter':
        return String(quarterOf(date));
      case 'week':
        return String(isoWeekOf(date).week);
      case 'weekyear':
        return String(isoWeekOf(date).year);
      case 'fiscalyear':
        return String(fiscalYearOf(date, fiscalStart).start);
      case 'fiscalend':
        return String(fiscalYearOf(date, fiscalStart).end);
    }
  }

  private foreignText(option: string, value: unknown, longest = this.maxLength): string {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text === '') {
      throw new InvalidOptionError(
        option,
        value,
        'is used in the format, so it must be a string that is not empty',
        `Pass ${option}.`,
      );
    }
    if (text.length > longest) {
      const remedy = 'Pass a shorter text, or allow more in the format.';
      throw new InvalidOptionError(option, value, `is longer than ${longest} characters`, remedy);
    }
    this.requireCharacters(option, text);
    return text;
  }

  private requireCharacters(option: string, text: string): void {
    const refused = CONTROL.exec(text)?.[0] ?? this.charset?.firstOutside(text);
    if (refused === undefined) return;
    const remedy = 'Remove the character, or add it to charset.';
    throw new InvalidOptionError(
      option,
      text,
      `has the character ${JSON.stringify(refused)}, which is not allowed`,
      remedy,
    );
  }

  private checkCharacters(): void {
    for (const part of this.parts) {
      this.requireCharacters('format', part.kind === 'literal' ? part.text : '');
    }
    this.requireCharacters('format', '0123456789');
  }

  private checkFiscalYear(): void {
    const hasToken = this.parts.some((part) => part.kind === 'date' && part.token.startsWith('fiscal'));
    if (this.demands.fiscalStart !== undefined || !(hasToken || this.demands.resets === 'fiscal')) return;
    throw new InvalidOptionError(
      'fiscalYearStart',
      undefined,
      'is missing, but format or resets uses the fiscal year',
      "Set the first day of the fiscal year, for example '04-01'.",
    );
  }

  private checkLength(): void {
    if (this.demands.maxLength !== undefined) this.requireKnownLengths();
    const length = this.parts.reduce((sum, part) => sum + roomFor(part), 0);
    if (length <= this.maxLength) return;
    throw new InvalidOptionError(
      'format',
      this.text,
      `can have ${length} characters, more than maxLength (${this.maxLength})`,
      'Shorten the format, or raise maxLength.',
    );
  }

  private requireKnownLengths(): void {
    for (const part of this.parts) {
      if ((part.kind !== 'scope' && part.kind !== 'field') || part.longest !== undefined) continue;
      const token = part.kind === 'scope' ? 'scope' : `field:${part.name}`;
      const remedy = `Write {${token}:8} for at most 8 characters.`;
      throw new InvalidOptionError(
        'format',
        this.text,
        `has {${token}} without a length, which maxLength requires`,
        remedy,
      );
    }
  }
}

/** Returns the characters that a part can take. A number can grow beyond its digits, and then ends the series. */
function roomFor(part: FormatPart): number {
  if (part.kind === 'number') return part.digits;
  if (part.kind === 'scope' || part.kind === 'field') return part.longest ?? 1;
  return fixedLength(part) ?? 0;
}
