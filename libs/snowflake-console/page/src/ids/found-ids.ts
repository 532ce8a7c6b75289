import { MAX_ID } from 'nestjs-snowflake/core';
import { base62Codec } from 'nestjs-snowflake/codecs';

/** A text that looks like an ID, and where it was found. */
export interface FoundId {
  /** As it was written, with its prefix. */
  readonly text: string;
  /** Decimal. May be above the largest ID, or negative: the reading says so. */
  readonly id: string;
  /** Counted from 1. */
  readonly line: number;
}

export interface FoundIds {
  readonly ids: readonly FoundId[];
  readonly lines: number;
  /** True if the paste holds more IDs than are shown. */
  readonly isCut: boolean;
}

/** More IDs than this make the page slow, and nobody reads them. */
export const MOST_IDS = 50_000;

/** Shorter numbers in a text are mostly times, amounts and counters. */
const SHORTEST_IN_TEXT = 15;
const LONGEST = 19;

/** A decimal number, a hexadecimal one with its mark, or a text with a prefix, each not part of a longer word. */
const CANDIDATES =
  /(?<![\w.])(?:(?<decimal>-?\d{1,20})|0x(?<hex>[0-9a-f]{1,16})|[a-z][a-z0-9]{0,30}_(?<base62>[0-9A-Za-z]{11}))(?![\w]|\.\d)/gi;

/** A decimal number that needs no other form. */
const CANONICAL = /^(0|[1-9]\d*)$/;

const base62 = base62Codec();

/**
 * Finds IDs in any text: a list, a CSV, JSON, logs. A decimal number counts from 15 digits on, and a shorter one if it
 * has its line to itself.
 */
export function foundIdsIn(text: string): FoundIds {
  const finder = new IdFinder(text);
  while (finder.step());
  return finder.found;
}

const LINES_A_STEP = 250;

/** Finds the IDs of a text step by step, so that a long text blocks nothing. */
export class IdFinder {
  private readonly lines: readonly string[];
  private readonly ids: FoundId[] = [];
  private line = 0;
  private isCut = false;

  constructor(text: string) {
    this.lines = text.split(/\r\n|\r|\n/);
  }

  /** Reads some lines. Returns whether there are more. */
  step(): boolean {
    const end = Math.min(this.line + LINES_A_STEP, this.lines.length);
    for (; this.line < end && !this.isCut; this.line++) this.readLine(this.lines[this.line] ?? '');
    return this.line < this.lines.length && !this.isCut;
  }

  get found(): FoundIds {
    return { ids: this.ids, lines: this.lines.length, isCut: this.isCut };
  }

  private readLine(text: string): void {
    for (const { text: written, id } of idsInLine(text)) {
      if (this.ids.length === MOST_IDS) {
        this.isCut = true;
        return;
      }
      this.ids.push({ text: written, id, line: this.line + 1 });
    }
  }
}

function idsInLine(line: string): Omit<FoundId, 'line'>[] {
  const bare = line.trim();
  const found: Omit<FoundId, 'line'>[] = [];
  for (const match of line.matchAll(CANDIDATES)) {
    const text = match[0];
    const id = decimalOf(match.groups ?? {});
    if (id !== undefined && (isLongEnough(id, match) || text === bare)) found.push({ text, id });
  }
  return found;
}

function isLongEnough(id: string, match: RegExpMatchArray): boolean {
  return match.groups?.['decimal'] === undefined || id.replace('-', '').length >= SHORTEST_IN_TEXT;
}

function decimalOf({
  decimal,
  hex,
  base62: encoded,
}: Record<string, string | undefined>): string | undefined {
  if (decimal !== undefined) return CANONICAL.test(decimal) ? decimal : BigInt(decimal).toString();
  if (hex !== undefined) return BigInt(`0x${hex}`).toString();
  try {
    return base62.decode(encoded ?? '');
  } catch {
    return undefined;
  }
}

/** Returns whether a decimal text is an ID at all: not negative, and at most 63 bits. */
export function isInRange(id: string): boolean {
  if (id.startsWith('-')) return false;
  return id.length < LONGEST || (id.length === LONGEST && BigInt(id) <= MAX_ID);
}
