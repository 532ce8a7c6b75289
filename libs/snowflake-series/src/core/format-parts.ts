import { InvalidOptionError } from 'nestjs-snowflake/core';

/** Tokens whose text has always the same length, and that length. */
const DATE_TOKENS = {
  year: [4, 2],
  month: [2],
  day: [2],
  quarter: [1],
  week: [2],
  weekyear: [4, 2],
  fiscalyear: [4, 2],
  fiscalend: [4, 2],
} as const;

/** Name of a token that the date of the document fills. */
export type DateToken = keyof typeof DATE_TOKENS;

/** A piece of a format. */
export type FormatPart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'date'; readonly token: DateToken; readonly digits: number }
  | { readonly kind: 'number'; readonly digits: number }
  | { readonly kind: 'scope'; readonly longest: number | undefined }
  | { readonly kind: 'field'; readonly name: string; readonly longest: number | undefined };

const PIECE = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;
const NUMBER_DIGITS = 15;
const LONGEST_TEXT = 128;

const TOKENS =
  'Use {number:5}, {year}, {year:2}, {month}, {day}, {quarter}, {week}, {weekyear}, {fiscalyear}, {fiscalend}, {scope}, ' +
  '{field:name}, and {{ for a brace.';

/** Takes a format apart. @throws InvalidOptionError */
export function partsOf(format: unknown): FormatPart[] {
  if (typeof format !== 'string' || format === '')
    throw refusal(format, 'must be a string with tokens', TOKENS);
  const parts: FormatPart[] = [];
  for (const [piece, token] of format.matchAll(PIECE)) {
    if (token !== undefined) parts.push(tokenPart(format, token));
    else if (piece === '{' || piece === '}') throw refusal(format, `has an unpaired ${piece}`, TOKENS);
    else parts.push({ kind: 'literal', text: piece === '{{' || piece === '}}' ? piece.slice(1) : piece });
  }
  return parts;
}

/** Returns the length of the part if every number has the same. */
export function fixedLength(part: FormatPart): number | undefined {
  if (part.kind === 'literal') return part.text.length;
  return part.kind === 'date' ? part.digits : undefined;
}

function tokenPart(format: string, token: string): FormatPart {
  const [name = '', first, second, ...rest] = token.split(':');
  const unknown = refusal(format, `has the unknown token {${token}}`, TOKENS);
  if (rest.length > 0 || (second !== undefined && name !== 'field')) throw unknown;
  if (name === 'number') return { kind: 'number', digits: countOf(first, 1, NUMBER_DIGITS, unknown) ?? 1 };
  if (name === 'scope') return { kind: 'scope', longest: countOf(first, 1, LONGEST_TEXT, unknown) };
  if (name === 'field') {
    if (first === undefined || !/^[A-Za-z_$][\w$]{0,63}$/.test(first)) throw unknown;
    return { kind: 'field', name: first, longest: countOf(second, 1, LONGEST_TEXT, unknown) };
  }
  if (!isDateToken(name)) throw unknown;
  const lengths: readonly number[] = DATE_TOKENS[name];
  const digits = first === undefined ? lengths[0] : lengths.find((length) => String(length) === first);
  if (digits === undefined) throw unknown;
  return { kind: 'date', token: name, digits };
}

function isDateToken(name: string): name is DateToken {
  return Object.hasOwn(DATE_TOKENS, name);
}

function countOf(text: string | undefined, min: number, max: number, unknown: Error): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw unknown;
}

function refusal(format: unknown, problem: string, remedy: string): InvalidOptionError {
  return new InvalidOptionError('format', format, problem, remedy);
}
