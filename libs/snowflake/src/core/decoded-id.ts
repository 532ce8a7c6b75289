import type { BitLayout } from './bit-layout.js';

/** What an ID says, as plain data. */
export interface DecodedFields {
  readonly id: string;
  readonly timestamp: Date;
  readonly timestampMs: number;
  readonly tick: number;
  readonly datacenterId?: number;
  readonly workerId: number;
  readonly sequence: number;
}

/**
 * What an ID says. `JSON.stringify` and `console.log` show all of it.
 *
 * Only numbers are worked out beforehand: a `Date` or a string that nobody asks for would cost more than decoding.
 */
export class DecodedId implements DecodedFields {
  /** Number of ticks since the epoch. */
  readonly tick: number;
  readonly workerId: number;
  readonly sequence: number;
  /** Only where the layout has a datacenter field. */
  declare readonly datacenterId?: number;

  readonly #given: string | bigint;
  readonly #layout: BitLayout;

  constructor(
    given: string | bigint,
    layout: BitLayout,
    tick: number,
    workerId: number,
    sequence: number,
    datacenterId: number | undefined,
  ) {
    this.#given = given;
    this.#layout = layout;
    this.tick = tick;
    this.workerId = workerId;
    this.sequence = sequence;
    if (datacenterId !== undefined) this.datacenterId = datacenterId;
  }

  /** The ID itself, as a decimal string. */
  get id(): string {
    return this.#given.toString();
  }

  /** Beginning of the tick in which the ID was issued. */
  get timestamp(): Date {
    return new Date(this.timestampMs);
  }

  /** The same as Unix time in milliseconds. */
  get timestampMs(): number {
    return this.#layout.startOfTick(this.tick);
  }

  /** All of it as plain data. */
  toJSON(): DecodedFields {
    const { id, timestamp, timestampMs, tick, workerId, sequence, datacenterId } = this;
    const datacenter = datacenterId === undefined ? {} : { datacenterId };
    return { id, timestamp, timestampMs, tick, ...datacenter, workerId, sequence };
  }

  /** What Node's `console.log` and `util.inspect` show. */
  [Symbol.for('nodejs.util.inspect.custom')](): DecodedFields {
    return this.toJSON();
  }
}
