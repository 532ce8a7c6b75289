import { type BitLayout, MAX_ID } from 'nestjs-snowflake/core';
import { base62Codec, type IdCodec, readableCodec } from 'nestjs-snowflake/codecs';
import { type ForeignNumber, foreignNumber } from './foreign-numbers.js';
import { formOfLines, type TokenForm, tokenOf } from './token-forms.js';

/** A text that looks like an ID, and where it was found. */
export interface FoundId {
  /** The text as it was written, with its prefix. */
  readonly text: string;
  /** The decimal value. It may be negative or above the largest ID, which the reading reports. */
  readonly id: string;
  /** Counted from 1. */
  readonly line: number;
  /** The name before the ID in the text, as `order` in `order=382475217496248322`. */
  readonly key?: string;
  /** Set if the number looks like something else. */
  readonly foreign?: ForeignNumber;
}

export interface FoundIds {
  readonly ids: readonly FoundId[];
  readonly lines: number;
  /** Numbers that look like something else, which are not in `ids`. */
  readonly foreign: Readonly<Record<ForeignNumber, number>>;
  /** True if the paste holds more IDs than are shown. */
  readonly isCut: boolean;
}

/** Bounds the IDs of a text, because more would make the page slow. */
export const MOST_IDS = 50_000;

/** Shorter numbers in a text are usually times, amounts and counters. */
const SHORTEST_IN_TEXT = 15;
const LONGEST = 19;

/**
 * Forms that only IDs have, as whole words: the readable form, a decimal number, also in the notation of a bigint in
 * JavaScript, a hexadecimal number with 0x, and a decimal or base62 number with a prefix.
 */
const CANDIDATES = new RegExp(
  '(?<![\\w.])(?:' +
    '(?<readable>\\d{8}T\\d{9}(?:-\\d{1,10}){1,3})|' +
    '(?<decimal>-?\\d{1,20})n?|' +
    '0x(?<hex>[0-9a-f]{1,16})|' +
    '(?<prefix>[a-z]\\w{0,60})_(?<prefixed>\\d{15,20})|' +
    '[a-z][a-z0-9]{0,30}_(?<base62>[0-9A-Za-z]{11})' +
    ')(?![\\w]|\\.\\d)',
  'gi',
);

/** The end of a text before an ID: a name, and what separates it from a value. */
const KEY = /(?<![\w.])([a-z_]\w{0,40})["']?\s?[=:]\s?["'[(]?$/i;
const LONGEST_KEY = 50;

/** A plain decimal number. */
const CANONICAL = /^(0|[1-9]\d*)$/;

const base62 = base62Codec();

/**
 * Finds IDs in any text: a list, a CSV, JSON, logs. A decimal number counts from 15 digits on, and a shorter one if it
 * has its line to itself. If each line is one word of the same form, that form is read.
 *
 * @param layout of the IDs. Without it, the readable form can't be read
 */
export function foundIdsIn(text: string, layout?: BitLayout): FoundIds {
  const finder = new IdFinder(text, layout);
  while (finder.step());
  return finder.found;
}

const LINES_A_STEP = 250;

/** Finds the IDs of a text step by step, so that a long text blocks nothing. */
export class IdFinder {
  private readonly lines: readonly string[];
  private readonly form: TokenForm | undefined;
  private readonly readable: IdCodec<string> | undefined;
  private readonly ids: FoundId[] = [];
  private line = 0;
  private isCut = false;

  constructor(text: string, layout?: BitLayout) {
    const lines = text.split(/\r\n|\r|\n/);
    // A line break at the end of the text starts no further line.
    this.lines = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    this.form = formOfLines(this.lines);
    this.readable = layout && readableOf(layout);
  }

  /** Reads some lines. Returns whether there are more. */
  step(): boolean {
    const end = Math.min(this.line + LINES_A_STEP, this.lines.length);
    for (; this.line < end && !this.isCut; this.line++) this.readLine(this.lines[this.line] ?? '');
    return this.line < this.lines.length && !this.isCut;
  }

  get found(): FoundIds {
    const { ids, foreign } = withoutForeign(this.ids);
    return { ids, lines: this.lines.length, foreign, isCut: this.isCut };
  }

  private readLine(text: string): void {
    const found = this.form ? idsOfToken(tokenOf(text), this.form) : idsInLine(text, this.readable);
    for (const each of found) {
      if (this.ids.length === MOST_IDS) {
        this.isCut = true;
        return;
      }
      this.ids.push({ ...each, line: this.line + 1 });
    }
  }
}

function idsOfToken(text: string, form: TokenForm): Omit<FoundId, 'line'>[] {
  const id = text === '' ? undefined : form.read(text);
  return id === undefined ? [] : [{ text, id }];
}

function idsInLine(line: string, readable: IdCodec<string> | undefined): Omit<FoundId, 'line'>[] {
  const bare = line.trim();
  const found: Omit<FoundId, 'line'>[] = [];
  for (const match of line.matchAll(CANDIDATES)) {
    const text = match[0];
    const id = decimalOf(match.groups ?? {}, readable);
    if (id === undefined) continue;
    const { key, foreign } = contextOf(match);
    // Somebody who asks for a number alone wants it decoded.
    if (text === bare) found.push({ text, id, key });
    else if (isLongEnough(id, match)) found.push({ text, id, key, foreign });
  }
  return found;
}

/** What surrounds an ID in a line: its name, and what else a bare number can be. */
function contextOf({ index, input = '', groups }: RegExpMatchArray): Pick<FoundId, 'key' | 'foreign'> {
  const before = input.slice(Math.max(0, (index ?? 0) - LONGEST_KEY), index);
  const key = groups?.['prefix'] ?? KEY.exec(before)?.[1];
  const foreign = groups?.['decimal'] === undefined ? undefined : foreignNumber(groups['decimal']);
  return { key, foreign };
}

/**
 * Leaves out numbers that look like something else. One ID of ten passes the check of a card number by chance, so numbers
 * of one length count as foreign only if at least half of them look so.
 */
function withoutForeign(all: readonly FoundId[]): Pick<FoundIds, 'ids' | 'foreign'> {
  const foreign = { card: 0, time: 0 };
  const ofLength = new Map<number, { all: number; foreign: number }>();
  for (const { id, foreign: kind } of all) {
    const counts = ofLength.get(id.length) ?? { all: 0, foreign: 0 };
    ofLength.set(id.length, { all: counts.all + 1, foreign: counts.foreign + (kind ? 1 : 0) });
  }
  const ids = all.filter(({ id, foreign: kind }) => {
    const counts = ofLength.get(id.length);
    if (!kind || !counts || counts.foreign * 2 < counts.all) return true;
    foreign[kind]++;
    return false;
  });
  return { ids, foreign };
}

function isLongEnough(id: string, match: RegExpMatchArray): boolean {
  return match.groups?.['decimal'] === undefined || id.replace('-', '').length >= SHORTEST_IN_TEXT;
}

function decimalOf(
  { decimal, prefixed, hex, readable: form, base62: encoded }: Record<string, string | undefined>,
  readable: IdCodec<string> | undefined,
): string | undefined {
  const number = decimal ?? prefixed;
  if (number !== undefined) return CANONICAL.test(number) ? number : BigInt(number).toString();
  if (hex !== undefined) return BigInt(`0x${hex}`).toString();
  try {
    return form === undefined ? base62.decode(encoded ?? '') : readable?.decode(form.toUpperCase());
  } catch {
    return undefined;
  }
}

/** A layout whose epoch has another number of digits has no readable form. */
function readableOf(layout: BitLayout): IdCodec<string> | undefined {
  try {
    return readableCodec(layout);
  } catch {
    return undefined;
  }
}

/** Returns whether a decimal text is an ID at all: not negative, and at most 63 bits. */
export function isInRange(id: string): boolean {
  if (id.startsWith('-')) return false;
  return id.length < LONGEST || (id.length === LONGEST && BigInt(id) <= MAX_ID);
}
