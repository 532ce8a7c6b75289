import { InvalidOptionError } from 'nestjs-snowflake/core';

/** The characters that a number may consist of. */
export class Charset {
  private constructor(private readonly ranges: readonly (readonly [first: string, last: string])[]) {}

  /**
   * Reads a list of characters and ranges, such as `A-Z0-9/-`. A `-` at the start or the end is a character.
   *
   * @throws InvalidOptionError
   */
  static listed(list: unknown): Charset {
    if (typeof list !== 'string' || list === '') throw invalid(list, 'is empty or not a string');
    const ranges: [string, string][] = [];
    for (let at = 0; at < list.length; at += 1) {
      const [first = '', dash, last] = list.slice(at, at + 3);
      if (dash !== '-' || last === undefined) {
        ranges.push([first, first]);
        continue;
      }
      if (first > last) throw invalid(list, `has the empty range ${first}-${last}`);
      ranges.push([first, last]);
      at += 2;
    }
    return new Charset(ranges);
  }

  /** Returns the first character of the text that is not in the set. */
  firstOutside(text: string): string | undefined {
    return [...text].find((each) => !this.ranges.some(([first, last]) => each >= first && each <= last));
  }
}

function invalid(value: unknown, problem: string): InvalidOptionError {
  return new InvalidOptionError(
    'charset',
    value,
    problem,
    "List characters and ranges, for example 'A-Z0-9/-'.",
  );
}
