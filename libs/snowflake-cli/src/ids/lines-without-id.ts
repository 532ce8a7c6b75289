import type { InvalidIdError } from 'nestjs-snowflake/core';
import type { FoundInLine } from './found-texts.js';

/** A line that has no ID. */
export interface LineWithoutId {
  readonly line: number;
  readonly problem: InvalidIdError;
}

/**
 * Decides which lines without an ID are wrong. In a list, whose lines are nothing but IDs, all of them are. In a text, such as a log,
 * in which IDs are among other words, none is. Lines before the first ID are judged with it.
 */
export class LinesWithoutId {
  private kind: 'list' | 'text' | undefined;
  /** The first line before the first ID. The others are only counted, because the input may have no end. */
  private firstBefore: LineWithoutId | undefined;
  private countBefore = 0;

  /** Adds a line. Returns the line that turns out to be wrong; of several ones, the first. */
  add(line: number, { ids, problem }: FoundInLine): LineWithoutId | undefined {
    if (ids.length > 0) {
      if (ids.some(({ isWhole }) => !isWhole)) this.kind = 'text';
      this.kind ??= 'list';
      const wrong = this.kind === 'list' ? this.firstBefore : undefined;
      this.firstBefore = undefined;
      return wrong;
    }
    if (problem === undefined || this.kind === 'text') return undefined;
    if (this.kind === 'list') return { line, problem };
    this.countBefore += 1;
    this.firstBefore ??= { line, problem };
    return undefined;
  }

  /** Returns the first line of an input without any ID, and how many lines it has. */
  end(): { readonly first: LineWithoutId | undefined; readonly count: number } {
    return { first: this.firstBefore, count: this.countBefore };
  }
}
