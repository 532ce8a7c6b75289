import type { BitLayout } from '../layout/bit-layout.js';
import { DecimalDigits } from '../ids/decimal-digits.js';
import { HIGH_HALF, LOW_HALF, WORD } from '../ids/id-words.js';

/** These are copies, because V8 looks up an imported constant on each use but folds one of the same module. */
const LOW = LOW_HALF;
const HIGH = HIGH_HALF;

/**
 * Holds the last issued ID and steps it to the next one.
 *
 * JavaScript represents 64-bit integers as bigints, and every shift or addition of bigints allocates. So the register
 * holds the ID as two 32-bit words. A step adds to the low one, which contains the whole sequence, so nothing carries.
 * Writing that word to its half of a 64-bit array element allocates only the resulting bigint.
 */
export class IdRegister {
  private readonly ids = new BigUint64Array(1);
  private readonly halves = new Uint32Array(this.ids.buffer);
  private readonly digits = new DecimalDigits();

  /** What one tick adds to the ID. */
  private readonly tickValue: number;
  /** What one sequence number adds to the low word. A shift, because V8 would store `2 ** n` as a float. */
  private readonly step: number;
  private readonly workerValue: number;
  private readonly datacenterValue: number;
  /** The words of the last issued ID. The low one is signed, because V8 stores a 32-bit integer in the field itself. */
  private high = 0;
  private low = 0;
  /** The worker and datacenter fields: their part in the high word, and their part in the low word. */
  private fixedHigh = 0;
  private fixedLow = 0;

  constructor(layout: BitLayout) {
    this.tickValue = 2 ** layout.field('timestamp').shift;
    this.workerValue = 2 ** layout.field('worker').shift;
    this.datacenterValue = 2 ** layout.field('datacenter').shift;
    this.step = 1 << layout.field('sequence').shift;
  }

  /** Sets the worker and datacenter ID. Takes effect with the next {@link beginTick}. */
  enter(workerId: number, datacenterId: number): void {
    const fixed = workerId * this.workerValue + datacenterId * this.datacenterValue;
    this.fixedHigh = Math.floor(fixed / WORD);
    this.fixedLow = fixed - this.fixedHigh * WORD;
  }

  /** Moves to just before the ID of `tick` and `sequence`, so that the next step returns that ID. */
  beginTick(tick: number, sequence = 0): void {
    // This is exact even above 2^53, because multiplying by a power of two only changes the exponent.
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

  /** Steps `count` times and writes each ID to `target`, a view of 64-bit elements, from element `at` on. */
  fill(target: Uint32Array, at: number, count: number): void {
    const { step, high } = this;
    let { low } = this;
    for (let slot = 2 * at, end = 2 * (at + count); slot < end; slot += 2) {
      // The array takes values modulo 2^32 anyway, and `| 0` keeps the loop in 32-bit registers.
      low = (low + step) | 0;
      target[slot + LOW] = low;
      target[slot + HIGH] = high;
    }
    this.low = low;
  }
}
