import { type BitLayout, InvalidIdError } from 'nestjs-snowflake/core';
import type { CodecName } from 'nestjs-snowflake/internal/core/codecs/text-codecs';
import { type ForeignNumber, ForeignShare } from 'nestjs-snowflake/internal/core/finding/foreign-numbers';
import { IdsInLine, isInRange } from 'nestjs-snowflake/internal/core/finding/ids-in-line';
import { IdReader } from './text-codecs.js';

/** An ID, and the text in which it was written. */
export interface FoundText {
  readonly text: string;
  readonly id: string;
  /** The name before the ID, as in `order=382475217496248322`. */
  readonly key?: string;
  /** Whether the line is nothing but this ID. */
  readonly isWhole: boolean;
}

/** The IDs of a line. */
export interface FoundInLine {
  readonly ids: readonly FoundText[];
  /** Why the line as a whole is no ID. */
  readonly problem?: InvalidIdError;
}

/** Finds IDs in lines: a whole line in a form of {@link IdReader}, else whatever the console finds in a text. */
export class FoundTexts {
  private readonly reader: IdReader;
  private readonly inLine: IdsInLine;
  private readonly share = new ForeignShare();
  private readonly counts: Record<ForeignNumber, number> = { card: 0, time: 0 };

  /** @param codec which wrote the IDs. Then each line is one ID, and nothing else is searched */
  constructor(
    layout: BitLayout,
    private readonly codec: CodecName | undefined,
  ) {
    this.reader = new IdReader(layout, codec);
    this.inLine = new IdsInLine(layout);
  }

  /** How many numbers were left out because they look like something else. */
  get leftOut(): Readonly<Record<ForeignNumber, number>> {
    return this.counts;
  }

  find(line: string): FoundInLine {
    try {
      return { ids: [{ text: line, id: this.reader.read(line), isWhole: true }] };
    } catch (problem) {
      if (!(problem instanceof InvalidIdError)) throw problem;
      if (this.codec !== undefined) return { ids: [], problem };
      return { ids: this.search(line), problem };
    }
  }

  /** Judges a foreign number by the lines up to now, because the input may have no end. */
  private search(line: string): FoundText[] {
    const found = this.inLine.find(line).filter(({ id }) => isInRange(id));
    for (const { id, foreign } of found) this.share.add(id, foreign);
    return found.flatMap(({ text, id, key, foreign }) => {
      if (foreign && this.share.isForeign(id)) {
        this.counts[foreign]++;
        return [];
      }
      return [{ text, id, key, isWhole: text === line }];
    });
  }
}
