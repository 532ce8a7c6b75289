import { HIGH_HALF, LOW_HALF, WORD } from './id-words.js';

/** Decimal digits that come from a table; the digits above them change once in 10,000 steps and are cached. */
const TAIL_VALUE = 10_000;
const TAILS = Array.from({ length: TAIL_VALUE }, (_, value) => String(value).padStart(4, '0'));

/**
 * The ID last issued, kept ready to be stepped to the next one.
 *
 * Why two halves: 64-bit integers are bigints in JavaScript, and every shift or addition of bigints allocates. Here
 * the ID lies as two unsigned 32-bit halves over one 64-bit array element. Stepping adds to the low half in place
 * (the sequence lies within it, so nothing ever carries) and reading the element makes the one bigint that is the
 * result.
 */
export class IdRegister {
  private readonly ids = new BigUint64Array(1);
  private readonly halves = new Uint32Array(this.ids.buffer);
  /** Decimal digits above the last four, valid for low halves in [tailStart, tailStart + 10,000). */
  private leadingDigits = '';
  private tailStart = Number.POSITIVE_INFINITY;

  /** @param step value of one sequence number within the low half */
  constructor(private readonly step: number) {}

  /** Puts the register one step before the ID that the halves name, so that the next step lands on it. */
  moveBefore(high: number, low: number): void {
    this.halves[HIGH_HALF] = high;
    this.halves[LOW_HALF] = low - this.step;
    this.tailStart = Number.POSITIVE_INFINITY;
  }

  /** Steps to the next ID and returns it. */
  nextBigInt(): bigint {
    this.halves[LOW_HALF]! += this.step;
    return this.ids[0]!;
  }

  /** Steps to the next ID and returns its decimal digits. */
  nextDecimal(): string {
    this.halves[LOW_HALF]! += this.step;
    const tail = this.halves[LOW_HALF]! - this.tailStart;
    return tail >= 0 && tail < TAIL_VALUE ? this.leadingDigits + TAILS[tail]! : this.decimalAnew();
  }

  /** Steps `count` times and writes each ID to `target`, from index `at` on. `halves` is a view of `target`. */
  fill(halves: Uint32Array, at: number, count: number): void {
    const high = this.halves[HIGH_HALF]!;
    const step = this.step;
    let low = this.halves[LOW_HALF]!;
    for (let slot = 2 * at, end = 2 * (at + count); slot < end; slot += 2) {
      low += step;
      halves[slot + LOW_HALF] = low;
      halves[slot + HIGH_HALF] = high;
    }
    this.halves[LOW_HALF] = low;
  }

  private decimalAnew(): string {
    const high = this.halves[HIGH_HALF]!;
    const low = this.halves[LOW_HALF]!;
    // high * 2^32 + low passes 2^53, so it is divided in two parts that do not.
    const rest = (high % TAIL_VALUE) * WORD + low;
    const tail = rest % TAIL_VALUE;
    const leading = Math.floor(high / TAIL_VALUE) * WORD + Math.floor(rest / TAIL_VALUE);
    if (leading === 0) return String(tail);
    this.leadingDigits = String(leading);
    this.tailStart = low - tail;
    return this.leadingDigits + TAILS[tail]!;
  }
}
