import { InvalidOptionError } from './errors.js';
import type { BitLayoutOptions, FieldName, Instant, LowerFieldName } from './bit-layout-options.js';
import { fieldBits, instantMs, lowerFieldOrder, requireLayoutOptions } from './layout-validation.js';
import { requireObject, requireWholeNumber } from './option-checks.js';

/** A field of a {@link BitLayout} and where it stands. */
export interface BitField {
  readonly name: FieldName;
  /** Width in bits. */
  readonly bits: number;
  /** Distance from the least significant bit of the ID. */
  readonly shift: number;
}

/** The parts that make an ID. */
export interface IdFields {
  /** Number of ticks since the epoch. */
  readonly tick: number;
  /** Default 0. */
  readonly datacenterId?: number;
  readonly workerId: number;
  readonly sequence: number;
}

/** Default epoch: 2024-01-01T00:00:00Z. With 41 bits of milliseconds it lasts until September 2093. */
export const DEFAULT_EPOCH = '2024-01-01T00:00:00Z';

/** The last instant of an ECMAScript Date, in the year 275,760. */
const LAST_DATE_MS = 8.64e15;

/**
 * Where each field of an ID stands, and what its timestamp counts from. Immutable; validated at construction.
 *
 * The scheme is Twitter's Snowflake (2010): a timestamp above a worker ID above a per-tick sequence.
 */
export class BitLayout {
  /** Unix time of tick 0, in milliseconds. */
  readonly epochMs: number;
  /** Unit of the timestamp field, in milliseconds. */
  readonly tickMs: number;
  /** The fields, most significant first. Fields of no width are left out. */
  readonly fields: readonly BitField[];
  /** Last value of the timestamp field that can be used: the field's, or the last that a Date can show. */
  readonly maxTick: number;
  /** Last value of the datacenter field; 0 without one. */
  readonly maxDatacenterId: number;
  /** Last value of the worker field. */
  readonly maxWorkerId: number;
  /** Last value of the sequence. */
  readonly maxSequence: number;
  /** One name for everything that decides which bits an ID gets. Two layouts make the same IDs only if it is equal. */
  readonly fingerprint: string;

  /**
   * @throws InvalidOptionError on widths that do not add up, are out of bounds, or on an unreadable epoch
   */
  constructor(options: BitLayoutOptions = {}, epoch: Instant = DEFAULT_EPOCH) {
    requireLayoutOptions(options);
    this.epochMs = instantMs('epoch', epoch);
    this.tickMs = requireWholeNumber('layout.tickMs', options.tickMs ?? 1, 1, 60_000);
    this.fields = placeFields(fieldBits(options), lowerFieldOrder(options));
    const lastDatedTick = this.tickAt(LAST_DATE_MS + 1) - 1;
    this.maxTick = Math.min(2 ** this.field('timestamp').bits - 1, lastDatedTick);
    this.maxDatacenterId = 2 ** this.field('datacenter').bits - 1;
    this.maxWorkerId = 2 ** this.field('worker').bits - 1;
    this.maxSequence = 2 ** this.field('sequence').bits - 1;
    const widths = this.fields.map(({ name, bits }) => `${name}:${bits}`).join(' ');
    this.fingerprint = `epoch=${new Date(this.epochMs).toISOString()} tick=${this.tickMs}ms ${widths}`;
    Object.freeze(this);
  }

  /** How many IDs one worker ID can issue per tick. */
  get idsPerTick(): number {
    return this.maxSequence + 1;
  }

  /** The last instant that the timestamp field can hold. */
  get expiresAt(): Date {
    return new Date(this.endOfTick(this.maxTick));
  }

  /** A field and its place; one of no width stands at bit 0. */
  field(name: FieldName): BitField {
    return this.fields.find((field) => field.name === name) ?? { name, bits: 0, shift: 0 };
  }

  /** Number of the tick in which an instant (Unix time in ms) lies. Negative before the epoch. */
  tickAt(timeMs: number): number {
    return Math.floor((timeMs - this.epochMs) / this.tickMs);
  }

  /** First millisecond of a tick, Unix time. */
  startOfTick(tick: number): number {
    return this.epochMs + tick * this.tickMs;
  }

  /** Last millisecond of a tick, Unix time. */
  endOfTick(tick: number): number {
    return this.startOfTick(tick + 1) - 1;
  }

  /**
   * Puts fields together. The inverse of decoding.
   *
   * @throws InvalidOptionError naming the field that does not fit its bits
   */
  compose(fields: IdFields): bigint {
    requireObject(
      'fields',
      fields,
      'Pass { tick, workerId, sequence }, and datacenterId if the layout has one.',
    );
    const values: Record<FieldName, number> = {
      timestamp: requireWholeNumber('tick', fields.tick, 0, this.maxTick),
      datacenter: requireWholeNumber('datacenterId', fields.datacenterId ?? 0, 0, this.maxDatacenterId),
      worker: requireWholeNumber('workerId', fields.workerId, 0, this.maxWorkerId),
      sequence: requireWholeNumber('sequence', fields.sequence, 0, this.maxSequence),
    };
    return this.fields.reduce((id, { name, shift }) => id + (BigInt(values[name]) << BigInt(shift)), 0n);
  }

  /**
   * Checks that the layout can be used from `nowMs` on.
   *
   * @throws InvalidOptionError when the epoch lies in the future or the timestamp field has ended already
   */
  assertUsableAt(nowMs: number): void {
    if (this.epochMs > nowMs) {
      throw new InvalidOptionError(
        'epoch',
        new Date(this.epochMs),
        'lies in the future',
        'Use an instant before the first ID, e.g. the day the project began, and never change it later.',
      );
    }
    if (this.expiresAt.getTime() < nowMs) {
      throw new InvalidOptionError(
        'epoch',
        new Date(this.epochMs),
        `leaves no lifetime: ${this.field('timestamp').bits} timestamp bits ended at ${this.expiresAt.toISOString()}`,
        'Use a later epoch or more timestamp bits, in a new namespace.',
      );
    }
  }
}

/** Returns `layout` if it is a {@link BitLayout}. @throws InvalidOptionError */
export function requireLayout(layout: BitLayout): BitLayout {
  if (layout instanceof BitLayout) return layout;
  throw new InvalidOptionError(
    'layout',
    layout,
    'is not a BitLayout',
    'Pass ids.layout of the ID maker, or a new BitLayout(options, epoch).',
  );
}

function placeFields(bits: Record<FieldName, number>, order: readonly LowerFieldName[]): readonly BitField[] {
  let shift = 0;
  const fromTheBottom = [...order].reverse().map((name) => {
    const field = { name: name as FieldName, bits: bits[name], shift };
    shift += bits[name];
    return field;
  });
  const sequence = fromTheBottom.find(({ name }) => name === 'sequence');
  if (sequence && sequence.shift + sequence.bits > 32) {
    throw new InvalidOptionError(
      'layout.order',
      order.join(', '),
      'puts the sequence above the lowest 32 bits',
      'Move the sequence towards the end of the order.',
    );
  }
  fromTheBottom.push({ name: 'timestamp', bits: bits.timestamp, shift });
  return Object.freeze(
    fromTheBottom
      .reverse()
      .filter((field) => field.bits > 0)
      .map((field) => Object.freeze(field)),
  );
}
