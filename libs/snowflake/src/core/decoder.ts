import type { BitField, BitLayout } from './bit-layout.js';
import type { Instant } from './bit-layout-options.js';
import { InvalidIdError, InvalidOptionError } from './errors.js';
import { fieldOf, wordsOf } from './id-words.js';
import { instantMs } from './layout-validation.js';

/** What an ID says. */
export interface DecodedId {
  /** The ID itself, as a decimal string. */
  readonly id: string;
  /** Beginning of the tick in which the ID was issued. */
  readonly timestamp: Date;
  /** The same as Unix time in milliseconds. */
  readonly timestampMs: number;
  /** Number of ticks since the epoch. */
  readonly tick: number;
  /** Only where the layout has a datacenter field. */
  readonly datacenterId?: number;
  readonly workerId: number;
  readonly sequence: number;
}

/** Reads the fields of IDs, and finds the IDs that belong to an instant. Stateless. */
export class IdDecoder {
  private readonly timestamp: BitField;
  private readonly datacenter: BitField;
  private readonly worker: BitField;
  private readonly sequence: BitField;

  constructor(private readonly layout: BitLayout) {
    this.timestamp = layout.field('timestamp');
    this.datacenter = layout.field('datacenter');
    this.worker = layout.field('worker');
    this.sequence = layout.field('sequence');
  }

  /**
   * Reads an ID. Any ID of the same layout can be read, whoever made it.
   *
   * @param id decimal string or bigint
   * @throws InvalidIdError when it is none, or lies beyond the end of the layout's timestamp field
   */
  decode(id: string | bigint): DecodedId {
    const words = wordsOf(id);
    const tick = fieldOf(words, this.timestamp.shift, 63 - this.timestamp.shift);
    if (tick > this.layout.maxTick) {
      throw new InvalidIdError(id, `is beyond the end of the layout's ${this.timestamp.bits} timestamp bits`);
    }
    const timestampMs = this.layout.startOfTick(tick);
    const decoded = {
      id: typeof id === 'string' ? id : id.toString(),
      timestamp: new Date(timestampMs),
      timestampMs,
      tick,
      workerId: fieldOf(words, this.worker.shift, this.worker.bits),
      sequence: fieldOf(words, this.sequence.shift, this.sequence.bits),
    };
    if (this.datacenter.bits === 0) return decoded;
    return { ...decoded, datacenterId: fieldOf(words, this.datacenter.shift, this.datacenter.bits) };
  }

  /**
   * The smallest ID that any worker could issue in the tick of `instant`: the inclusive lower bound of a time range.
   * Instants before the epoch give `'0'`, which lies below every ID.
   *
   * @throws InvalidOptionError when `instant` is none, or lies beyond the end of the layout
   */
  firstIdAt(instant: Instant): string {
    return (BigInt(this.tickOf(instant)) << BigInt(this.timestamp.shift)).toString();
  }

  /**
   * The largest ID that any worker could issue in the tick of `instant`: the inclusive upper bound of a time range.
   * Instants before the epoch give `'0'`.
   *
   * @throws InvalidOptionError when `instant` is none, or lies beyond the end of the layout
   */
  lastIdAt(instant: Instant): string {
    if (this.layout.tickAt(instantMs('instant', instant)) < 0) return '0';
    return (((BigInt(this.tickOf(instant)) + 1n) << BigInt(this.timestamp.shift)) - 1n).toString();
  }

  private tickOf(instant: Instant): number {
    const tick = this.layout.tickAt(instantMs('instant', instant));
    if (tick > this.layout.maxTick) {
      throw new InvalidOptionError(
        'instant',
        instant,
        `lies beyond the end of the layout, ${this.layout.expiresAt.toISOString()}`,
        'Use an earlier instant.',
      );
    }
    return Math.max(tick, 0);
  }
}
