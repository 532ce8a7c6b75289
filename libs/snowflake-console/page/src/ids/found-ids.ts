import type { BitLayout } from 'nestjs-snowflake/core';
import { type ForeignNumber, ForeignShare } from '../../../../snowflake/src/core/finding/foreign-numbers.js';
import { type IdInLine, IdsInLine } from '../../../../snowflake/src/core/finding/ids-in-line.js';
import { formOfLines, type TokenForm, tokenOf } from './token-forms.js';

export { isInRange } from '../../../../snowflake/src/core/finding/ids-in-line.js';

/** A text that looks like an ID, and where it was found. */
export interface FoundId extends IdInLine {
  /** Counted from 1. */
  readonly line: number;
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
  private readonly inLine: IdsInLine;
  private readonly ids: FoundId[] = [];
  private line = 0;
  private isCut = false;

  constructor(text: string, layout?: BitLayout) {
    const lines = text.split(/\r\n|\r|\n/);
    // A line break at the end of the text starts no further line.
    this.lines = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    this.form = formOfLines(this.lines);
    this.inLine = new IdsInLine(layout);
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
    const found = this.form ? idsOfToken(tokenOf(text), this.form) : this.inLine.find(text);
    for (const each of found) {
      if (this.ids.length === MOST_IDS) {
        this.isCut = true;
        return;
      }
      this.ids.push({ ...each, line: this.line + 1 });
    }
  }
}

function idsOfToken(text: string, form: TokenForm): IdInLine[] {
  const id = text === '' ? undefined : form.read(text);
  return id === undefined ? [] : [{ text, id }];
}

/** Leaves out numbers that look like something else, and counts them. */
function withoutForeign(all: readonly FoundId[]): Pick<FoundIds, 'ids' | 'foreign'> {
  const foreign = { card: 0, time: 0 };
  const share = new ForeignShare();
  for (const { id, foreign: kind } of all) share.add(id, kind);
  const ids = all.filter(({ id, foreign: kind }) => {
    if (!kind || !share.isForeign(id)) return true;
    foreign[kind]++;
    return false;
  });
  return { ids, foreign };
}
