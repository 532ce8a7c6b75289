import { InvalidOptionError } from '../errors/input-errors.js';
import type { BitLayoutOptions, FieldName, Instant, LowerFieldName } from './bit-layout-options.js';
import { checkedLayout, fieldBits, lowerFieldOrder, withEveryLowerField } from './layout-validation.js';
import { instantMs, LAST_DATE_MS } from './instant.js';
import { readFingerprint, writeFingerprint } from './layout-fingerprint.js';
import { VERSION } from '../version.js';
import { requireObject, requireWholeNumber } from '../options/option-checks.js';
import { requireUsableAt } from './usable-time.js';

/** A field of a {@link BitLayout} and its position. */
export interface BitField {
  readonly name: FieldName;
  /** Width in bits. */
  readonly bits: number;
  /** Distance from the least significant bit of the ID. */
  readonly shift: number;
}

/** The values that {@link BitLayout.compose} combines into an ID. */
export interface IdFields {
  /** Number of ticks since the epoch. */
  readonly tick: number;
  /** Default 0. */
  readonly datacenterId?: number;
  readonly workerId: number;
  readonly sequence: number;
}

/** Default epoch. With 41 timestamp bits of milliseconds it lasts until September 2093. */
export const DEFAULT_EPOCH = '2024-01-01T00:00:00Z';

/** Marks the layouts of every copy of this version of the library. */
const BRAND = Symbol.for(`nestjs-snowflake@${VERSION}: layout`);

/**
 * Defines the position of each field of an ID and the epoch that its timestamp counts from. A layout is checked when it is
 * constructed, and never changes.
 *
 * The scheme is Twitter's Snowflake (2010): a timestamp above a worker ID above a per-tick sequence.
 *
 * @example
 * ```ts
 * const layout = new BitLayout({ workerBits: 8, sequenceBits: 14 }, '2026-01-01T00:00:00Z');
 * layout.idsPerTick; // 16384
 * layout.expiresAt; // 2095-09-07T15:47:35.551Z
 * layout.compose({ tick: 1, workerId: 3, sequence: 0 }); // 4243456n
 * ```
 */
export class BitLayout {
  /** Unix time of tick 0, in milliseconds. */
  readonly epochMs: number;
  /** Unit of the timestamp field, in milliseconds. */
  readonly tickMs: number;
  /** The fields, most significant first, without those of 0 bits. */
  readonly fields: readonly BitField[];
  /** Last usable value of the timestamp field: the field's maximum, or the last tick that a `Date` can show. */
  readonly maxTick: number;
  /** Last value of the datacenter field; 0 if the layout has none. */
  readonly maxDatacenterId: number;
  /** Last value of the worker field. */
  readonly maxWorkerId: number;
  /** Last value of the sequence. */
  readonly maxSequence: number;
  /**
   * Names everything that decides the bits of an ID: epoch, tick, and the order and widths of the fields. Two layouts
   * generate the same IDs only if their fingerprints are equal.
   */
  readonly fingerprint: string;

  /** Also recognizes a layout that another copy of the library in the process has made. @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /** @internal */
  get [BRAND](): true {
    return true;
  }

  /**
   * @throws InvalidOptionError if a width is out of bounds, the widths don't fit into 63 bits, or the epoch is invalid
   */
  constructor(options: BitLayoutOptions = {}, epoch: Instant = DEFAULT_EPOCH) {
    const settings = checkedLayout(options);
    this.epochMs = instantMs('epoch', epoch);
    this.tickMs = settings.tickMs;
    this.fields = placeFields(fieldBits(settings), lowerFieldOrder(settings));
    const lastDatedTick = this.tickAt(LAST_DATE_MS + 1) - 1;
    this.maxTick = Math.min(2 ** this.field('timestamp').bits - 1, lastDatedTick);
    this.maxDatacenterId = 2 ** this.field('datacenter').bits - 1;
    this.maxWorkerId = 2 ** this.field('worker').bits - 1;
    this.maxSequence = 2 ** this.field('sequence').bits - 1;
    this.fingerprint = writeFingerprint(this);
    Object.freeze(this);
  }

  /**
   * Returns the layout with this fingerprint. The text may also contain what a lease store and its error messages write
   * around it, as in `v2 epoch=… sequence:12 workers=0+1024`.
   *
   * @throws InvalidOptionError if the text holds no fingerprint, or that of an impossible layout
   */
  static fromFingerprint(text: string): BitLayout {
    const { fingerprint, options, epoch } = readFingerprint(text);
    const layout = new BitLayout(options, epoch);
    if (layout.fingerprint === fingerprint) return layout;
    throw new InvalidOptionError(
      'fingerprint',
      fingerprint,
      `is not how the layout is written, which is "${layout.fingerprint}"`,
      'Pass the fingerprint of a layout unchanged.',
    );
  }

  /** Returns the options that make this layout again, together with `new Date(epochMs)` as the epoch. */
  toOptions(): Required<BitLayoutOptions> {
    const lower = this.fields.map(({ name }) => name).filter((name) => name !== 'timestamp');
    return {
      timestampBits: this.field('timestamp').bits,
      datacenterBits: this.field('datacenter').bits,
      workerBits: this.field('worker').bits,
      sequenceBits: this.field('sequence').bits,
      tickMs: this.tickMs,
      order: withEveryLowerField(lower),
    };
  }

  /** How many IDs one worker ID can issue per tick. */
  get idsPerTick(): number {
    return this.maxSequence + 1;
  }

  /** The last instant that the timestamp field can hold. */
  get expiresAt(): Date {
    return new Date(this.endOfTick(this.maxTick));
  }

  /** Returns a field and its position. A field of 0 bits has shift 0. */
  field(name: FieldName): BitField {
    return this.fields.find((field) => field.name === name) ?? { name, bits: 0, shift: 0 };
  }

  /** Returns the tick that contains an instant (Unix time in ms). Negative before the epoch. */
  tickAt(timeMs: number): number {
    return Math.floor((timeMs - this.epochMs) / this.tickMs);
  }

  /** Returns the first millisecond of a tick, as Unix time. */
  startOfTick(tick: number): number {
    return this.epochMs + tick * this.tickMs;
  }

  /** Returns the last millisecond of a tick, as Unix time. */
  endOfTick(tick: number): number {
    return this.startOfTick(tick + 1) - 1;
  }

  /**
   * Combines fields into an ID. The inverse of decoding.
   *
   * @throws InvalidOptionError that names the field whose value doesn't fit its bits
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
   * Throws unless the layout can issue IDs at `nowMs` (Unix time in milliseconds).
   *
   * @throws InvalidOptionError if the epoch is later than `nowMs`, or the timestamp field ended before it
   */
  assertUsableAt(nowMs: number): void {
    requireUsableAt(this, nowMs, 'the clock');
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
  const leastSignificantFirst = [...order].reverse().map((name) => {
    const field = { name: name as FieldName, bits: bits[name], shift };
    shift += bits[name];
    return field;
  });
  const sequence = leastSignificantFirst.find(({ name }) => name === 'sequence');
  if (sequence && sequence.shift + sequence.bits > 32) {
    throw new InvalidOptionError(
      'layout.order',
      order.join(', '),
      'puts the sequence above the lowest 32 bits',
      'Move the sequence towards the end of the order.',
    );
  }
  leastSignificantFirst.push({ name: 'timestamp', bits: bits.timestamp, shift });
  return Object.freeze(
    leastSignificantFirst
      .reverse()
      .filter((field) => field.bits > 0)
      .map((field) => Object.freeze(field)),
  );
}
