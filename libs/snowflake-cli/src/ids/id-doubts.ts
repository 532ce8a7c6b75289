import type { IdDecoder, IdDoubt } from 'nestjs-snowflake/core';

/** The warning for each doubt about a decoded ID. An ID beyond the end of its layout can't be decoded. */
export const DOUBTS: Readonly<Record<Exclude<IdDoubt, 'beyondEnd'>, string>> = {
  rounded:
    'It looks like a rounded JavaScript number, so it may be another ID. Send IDs as strings, and quote them in JSON.',
  future:
    'Its time is in the future. Check --layout and --epoch, and the clock of the host that generated it.',
  early:
    'Its time is within a day of the epoch. A number this small is usually an auto-increment key, a word that was read as an ID, or an ' +
    'ID of a layout with an earlier epoch.',
};

/** Returns what is suspicious about an ID of this decoder that was given as `input`. */
export function doubtsAbout(
  decoder: IdDecoder,
  id: string,
  { input, nowMs }: { readonly input: string; readonly nowMs: number },
): (keyof typeof DOUBTS)[] {
  return decoder
    .doubts(id, new Date(nowMs))
    .filter((doubt) => doubt !== 'beyondEnd')
    .filter((doubt) => doubt !== 'rounded' || input === id);
}

/** Fewer IDs look rounded by chance too often. */
const LEAST_ROUNDED = 3;

/**
 * Judges the doubt `rounded` of many IDs together. Of correct IDs with the sequence 0, one in eight looks as JavaScript prints it, so a
 * warning for each of them would be noise.
 */
export class RoundedShare {
  private all = 0;
  private rounded = 0;

  /** Counts an ID, and returns its other doubts. */
  withoutRounded(doubts: readonly (keyof typeof DOUBTS)[]): (keyof typeof DOUBTS)[] {
    this.all++;
    if (doubts.includes('rounded')) this.rounded++;
    return doubts.filter((doubt) => doubt !== 'rounded');
  }

  /** Returns the warning if more than a third of the IDs look rounded. */
  get warning(): string | undefined {
    if (this.rounded < LEAST_ROUNDED || this.rounded * 3 <= this.all) return undefined;
    return `${this.rounded} of ${this.all} IDs in the text look like rounded JavaScript numbers, so they may be other IDs.`;
  }
}
