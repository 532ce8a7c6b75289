import type { IdCodec } from '../codecs/id-codec.js';
import { base62Codec } from '../codecs/radix-codecs.js';
import { readableCodec } from '../codecs/readable-codec.js';
import { uuidCodec } from '../codecs/uuid-codec.js';
import { MAX_ID } from '../ids/id-words.js';
import type { BitLayout } from '../layout/bit-layout.js';
import { type ForeignNumber, foreignNumber } from './foreign-numbers.js';

/** A text in a line that looks like an ID. */
export interface IdInLine {
  /** The text as it was written, with its prefix. */
  readonly text: string;
  /** The decimal value. It may be negative or above the largest ID, see {@link isInRange}. */
  readonly id: string;
  /** The name before the ID in the line, as `order` in `order=382475217496248322`. */
  readonly key?: string;
  /** Set if the number looks like something else. */
  readonly foreign?: ForeignNumber;
}

/** Shorter numbers in a text are usually times, amounts and counters. */
const SHORTEST_IN_TEXT = 15;
const LONGEST = 19;

/**
 * Forms that only IDs have, as whole words: the readable form, a decimal number, including the notation of a bigint in
 * JavaScript, a hexadecimal number with 0x, a decimal or base62 number with a prefix, and a UUID of version 8.
 */
const CANDIDATES = new RegExp(
  '(?<![\\w.])(?:' +
    '(?<readable>\\d{8}T\\d{9}(?:-\\d{1,10}){1,3})|' +
    '(?<uuid>[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})|' +
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
const uuids = uuidCodec();

/** Finds IDs in lines of any text: CSV, JSON, logs. */
export class IdsInLine {
  private readonly readable: IdCodec<string> | undefined;

  /** @param layout of the IDs. Without it, the readable form can't be read */
  constructor(layout?: BitLayout) {
    this.readable = layout && readableOf(layout);
  }

  /** Returns the IDs of a line. A decimal number counts from 15 digits on, and a shorter one if it has the line to itself. */
  find(line: string): IdInLine[] {
    const bare = line.trim();
    const found: IdInLine[] = [];
    for (const match of line.matchAll(CANDIDATES)) {
      const text = match[0];
      const id = decimalOf(match.groups ?? {}, this.readable);
      if (id === undefined) continue;
      const { key, foreign } = contextOf(match);
      // Somebody who asks for a number alone wants it decoded.
      if (text === bare) found.push({ text, id, key });
      else if (isLongEnough(id, match)) found.push({ text, id, key, foreign });
    }
    return found;
  }
}

/** Returns whether a decimal text is an ID at all: not negative, and at most 63 bits. */
export function isInRange(id: string): boolean {
  if (id.startsWith('-')) return false;
  return id.length < LONGEST || (id.length === LONGEST && BigInt(id) <= MAX_ID);
}

/** What surrounds an ID in a line: its name, and what else a bare number can be. */
function contextOf({ index, input = '', groups }: RegExpMatchArray): Pick<IdInLine, 'key' | 'foreign'> {
  const before = input.slice(Math.max(0, (index ?? 0) - LONGEST_KEY), index);
  const key = groups?.['prefix'] ?? KEY.exec(before)?.[1];
  const foreign = groups?.['decimal'] === undefined ? undefined : foreignNumber(groups['decimal']);
  return { key, foreign };
}

function isLongEnough(id: string, match: RegExpMatchArray): boolean {
  return match.groups?.['decimal'] === undefined || id.replace('-', '').length >= SHORTEST_IN_TEXT;
}

function decimalOf(
  { decimal, prefixed, hex, uuid, readable: form, base62: encoded }: Record<string, string | undefined>,
  readable: IdCodec<string> | undefined,
): string | undefined {
  const number = decimal ?? prefixed;
  if (number !== undefined) return CANONICAL.test(number) ? number : BigInt(number).toString();
  if (hex !== undefined) return BigInt(`0x${hex}`).toString();
  try {
    if (uuid !== undefined) return uuids.decode(uuid);
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
