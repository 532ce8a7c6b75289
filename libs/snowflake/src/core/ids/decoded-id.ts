import type { BitLayout } from '../layout/bit-layout.js';

/** The fields of an ID, as plain data. */
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
 * The fields of an ID. `JSON.stringify` and `console.log` show all of them.
 *
 * Computes the `Date` and the strings on access, because creating them costs more than decoding.
 */
export class DecodedId implements DecodedFields {
  /** Number of ticks since the epoch. */
  readonly tick: number;
  readonly workerId: number;
  readonly sequence: number;
  /** Present only if the layout has a datacenter field. */
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

  /** Start of the ID's tick. */
  get timestamp(): Date {
    return new Date(this.timestampMs);
  }

  /** {@link timestamp} as Unix time in milliseconds. */
  get timestampMs(): number {
    return this.#layout.startOfTick(this.tick);
  }

  /** Returns all fields as plain data. */
  toJSON(): DecodedFields {
    const { id, timestamp, timestampMs, tick, workerId, sequence, datacenterId } = this;
    const datacenter = datacenterId === undefined ? {} : { datacenterId };
    return { id, timestamp, timestampMs, tick, ...datacenter, workerId, sequence };
  }

  /** Returns the fields that Node's `console.log` and `util.inspect` show. */
  [Symbol.for('nodejs.util.inspect.custom')](): DecodedFields {
    return this.toJSON();
  }
}
