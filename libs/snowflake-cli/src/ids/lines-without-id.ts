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
  private readonly before: LineWithoutId[] = [];
  /** How many lines before the first ID have none. Only the first of them is kept, because the input may have no end. */
  private countBefore = 0;

  /** Adds a line. Returns those that turn out to be wrong, of several ones the first. */
  add(line: number, { ids, problem }: FoundInLine): readonly LineWithoutId[] {
    if (ids.length > 0) {
      if (ids.some(({ isWhole }) => !isWhole)) this.kind = 'text';
      this.kind ??= 'list';
      const wrong = this.kind === 'list' ? [...this.before] : [];
      this.before.length = 0;
      return wrong;
    }
    if (problem === undefined || this.kind === 'text') return [];
    if (this.kind === 'list') return [{ line, problem }];
    if (this.countBefore++ === 0) this.before.push({ line, problem });
    return [];
  }

  /** Returns the first line of an input without any ID, and how many there are. */
  end(): { readonly wrong: readonly LineWithoutId[]; readonly count: number } {
    return { wrong: this.before, count: this.countBefore };
  }
}
