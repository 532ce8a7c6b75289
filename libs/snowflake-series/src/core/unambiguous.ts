import { InvalidOptionError } from 'nestjs-snowflake/core';
import { fixedLength, type DateToken, type FormatPart } from './format-parts.js';
import type { SeriesReset } from './period.js';

/** The tokens that tell one period from another. Of each group, one must be in the format. */
const TELLING: Readonly<Record<SeriesReset, readonly (readonly DateToken[])[]>> = {
  never: [],
  year: [['year']],
  fiscal: [['fiscalyear', 'fiscalend']],
  quarter: [['year'], ['quarter', 'month']],
  month: [['year'], ['month']],
  day: [['year'], ['month'], ['day']],
};

/**
 * Refuses a format in which two numbers of a scope could have the same text.
 *
 * The number must be readable from one end of the text: everything on one side of it has a fixed length, and what follows on
 * the other side has one too, or begins with a character that is not a digit. Each token that tells the periods apart must be
 * joined to an end of the text, or to the number, by parts of a fixed length.
 *
 * @throws InvalidOptionError
 */
export function requireUnambiguous(format: string, parts: readonly FormatPart[], resets: SeriesReset): void {
  const numbers = parts.filter(({ kind }) => kind === 'number');
  if (numbers.length !== 1) {
    throw refusal(format, 'must have {number} exactly once', 'For example: INV-{year}-{number:5}.');
  }
  const at = parts.findIndex(({ kind }) => kind === 'number');
  if (!isReadable(parts, at)) {
    throw refusal(
      format,
      'can give two numbers the same text',
      'Separate {number} from {scope} and {field:…} by a character that is not a digit, and put it before or after all of them.',
    );
  }
  for (const group of TELLING[resets]) {
    if (parts.some((part, index) => isIn(part, group) && isAnchored(parts, index, at))) continue;
    const tokens = group.map((token) => `{${token}}`).join(' or ');
    throw refusal(
      format,
      `does not show each period of resets: '${resets}', so numbers would repeat`,
      `Add ${tokens} at the start, at the end or next to {number}, or set resets: 'never'.`,
    );
  }
}

function isReadable(parts: readonly FormatPart[], at: number): boolean {
  const left = parts.slice(0, at);
  const right = parts.slice(at + 1);
  return (
    (isFixed(right) && (isFixed(left) || endsWithoutDigit(left.at(-1), -1))) ||
    (isFixed(left) && endsWithoutDigit(right.at(0), 0))
  );
}

function isFixed(side: readonly FormatPart[]): boolean {
  return side.every((part) => fixedLength(part) !== undefined);
}

function endsWithoutDigit(part: FormatPart | undefined, end: 0 | -1): boolean {
  return part?.kind === 'literal' && !/\d/.test(part.text.at(end) ?? '');
}

function isIn(part: FormatPart, group: readonly DateToken[]): boolean {
  return part.kind === 'date' && group.includes(part.token);
}

/** Whether the place of a part in the text is known. */
function isAnchored(parts: readonly FormatPart[], index: number, numberAt: number): boolean {
  const isEnd = (step: 1 | -1): boolean => {
    let at = index;
    let part = parts[at];
    while (part !== undefined && fixedLength(part) !== undefined) part = parts[(at += step)];
    return part === undefined || at === numberAt;
  };
  return isEnd(1) || isEnd(-1);
}

function refusal(format: string, problem: string, remedy: string): InvalidOptionError {
  return new InvalidOptionError('format', format, problem, remedy);
}
