import type { BitLayout } from './bit-layout.js';
import { DecimalDigits } from './decimal-digits.js';
import { HIGH_HALF, LOW_HALF, WORD } from './id-words.js';

/** V8 looks an imported constant up at each use, and folds one of the same module. */
const LOW = LOW_HALF;
const HIGH = HIGH_HALF;

/**
 * The ID last issued, kept ready to be stepped to the next one.
 *
 * Why two words: 64-bit integers are bigints in JavaScript, and every shift or addition of bigints allocates. Here the
 * ID lies as two 32-bit words. Stepping adds to the low one (the sequence lies within it, so nothing ever carries);
 * written to its half of a 64-bit array element, it makes the one bigint that is the result.
 */
export class IdRegister {
  private readonly ids = new BigUint64Array(1);
  private readonly halves = new Uint32Array(this.ids.buffer);
  private readonly digits = new DecimalDigits();

  /** What one tick counts. */
  private readonly tickValue: number;
  /** What one sequence number adds to the low half. An integer for the machine, where `2 ** n` would be a float. */
  private readonly step: number;
  private readonly workerValue: number;
  private readonly datacenterValue: number;
  /** The words of the ID last issued. The low one is signed: V8 keeps a 32-bit integer in the field itself. */
  private high = 0;
  private low = 0;
  /** The worker and datacenter fields: their part in the high half, and that in the low half. */
  private fixedHigh = 0;
  private fixedLow = 0;

  constructor(layout: BitLayout) {
    this.tickValue = 2 ** layout.field('timestamp').shift;
    this.workerValue = 2 ** layout.field('worker').shift;
    this.datacenterValue = 2 ** layout.field('datacenter').shift;
    this.step = 1 << layout.field('sequence').shift;
  }

  /** Whose IDs these are from the next tick on. */
  enter(workerId: number, datacenterId: number): void {
    const fixed = workerId * this.workerValue + datacenterId * this.datacenterValue;
    this.fixedHigh = Math.floor(fixed / WORD);
    this.fixedLow = fixed - this.fixedHigh * WORD;
  }

  /** Makes the next step land on the ID of `tick` with the sequence number `sequence`. */
  beginTick(tick: number, sequence = 0): void {
    // Exact, though it passes 2^53: a product with a power of two only changes the exponent.
    const timestamp = tick * this.tickValue;
    const high = Math.floor(timestamp / WORD);
    this.high = high + this.fixedHigh;
    this.low = (timestamp - high * WORD + this.fixedLow + (sequence - 1) * this.step) | 0;
    this.halves[HIGH] = this.high;
    this.digits.forget();
  }

  /** Steps to the next ID and returns it. */
  nextBigInt(): bigint {
    this.halves[LOW] = this.low = (this.low + this.step) | 0;
    return this.ids[0]!;
  }

  /** Steps to the next ID and returns its decimal digits. */
  nextDecimal(): string {
    this.low = (this.low + this.step) | 0;
    return this.digits.read(this.high, this.low);
  }

  /** Steps `count` times and writes each ID to `target`, from index `at` on. `target` is a view of 64-bit elements. */
  fill(target: Uint32Array, at: number, count: number): void {
    const { step, high } = this;
    let { low } = this;
    for (let slot = 2 * at, end = 2 * (at + count); slot < end; slot += 2) {
      // Modulo 2^32, as the array takes it: the loop then runs in 32-bit registers.
      low = (low + step) | 0;
      target[slot + LOW] = low;
      target[slot + HIGH] = high;
    }
    this.low = low;
  }
}
