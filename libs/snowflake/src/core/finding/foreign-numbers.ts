/** `card`: the number of a payment card. `time`: Unix time in microseconds. */
export type ForeignNumber = 'card' | 'time';

/** The first digits of cards, with the digits that they have in all. */
const CARD = /^(4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|35\d{14}|6(?:011|[245]\d\d)\d{12})$/;
/** Unix time in microseconds has 16 digits, and begins so from 2017 to 2033. */
const MICROSECONDS = /^1[5-9]\d{14}$/;

/** Returns what else than an ID a number of a text can be. */
export function foreignNumber(digits: string): ForeignNumber | undefined {
  if (CARD.test(digits) && passesLuhn(digits)) return 'card';
  return MICROSECONDS.test(digits) ? 'time' : undefined;
}

/** The check digit of cards: a single wrong digit doesn't pass, and nine of ten other numbers don't. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/**
 * Counts numbers by their length. One ID of ten passes the check of a card number by chance, so a number that looks foreign is foreign
 * only if at least half of the numbers of its length look so.
 */
export class ForeignShare {
  private readonly ofLength = new Map<number, { all: number; foreign: number }>();

  /** Counts a number, with what it looks like. */
  add(digits: string, kind: ForeignNumber | undefined): void {
    const { all = 0, foreign = 0 } = this.ofLength.get(digits.length) ?? {};
    this.ofLength.set(digits.length, { all: all + 1, foreign: foreign + (kind ? 1 : 0) });
  }

  /** Returns whether a number that looks foreign is so, by the numbers that were counted up to now. */
  isForeign(digits: string): boolean {
    const { all = 0, foreign = 0 } = this.ofLength.get(digits.length) ?? {};
    return foreign * 2 >= all;
  }
}
