/** The fields of an ID below the timestamp, named as in {@link BitLayoutOptions.order}. */
export type LowerFieldName = 'datacenter' | 'worker' | 'sequence';

/** The fields of an ID. */
export type FieldName = 'timestamp' | LowerFieldName;

/** Divides the 63 bits below the zero sign bit into fields. */
export interface BitLayoutOptions {
  /**
   * Width of the timestamp: 41 bits of milliseconds last for 69.7 years.
   * Bounds: 22 to 53.
   *
   * @defaultValue `41`: what the other fields leave of 63 bits, at most 53
   */
  timestampBits?: number;
  /**
   * Width of the datacenter ID.
   * Bounds: 0 to 31.
   *
   * @defaultValue `0`: the layout has no such field
   */
  datacenterBits?: number;
  /**
   * Width of the worker ID: 10 bits allow 1,024 processes at once.
   * Bounds: 0 to 31.
   *
   * @defaultValue `10`
   */
  workerBits?: number;
  /**
   * Width of the sequence: 12 bits allow 4,096 IDs per tick and process.
   * Bounds: 1 to 31.
   *
   * @defaultValue `12`
   */
  sequenceBits?: number;
  /**
   * Length of a tick, the unit of the timestamp.
   * Bounds: 1 to 60,000.
   *
   * @defaultValue `1`
   */
  tickMs?: number;
  /**
   * Order of the fields below the timestamp, most significant first.
   * Bounds: each name once.
   *
   * The sequence must lie within the lowest 32 bits. Omit `'datacenter'` if the layout has no such field.
   *
   * @defaultValue `['datacenter', 'worker', 'sequence']`
   */
  order?: readonly LowerFieldName[];
}

/**
 * An instant: a string as in RFC 3339, a `Date`, or Unix time in milliseconds.
 *
 * A string is a date alone, such as `'2024-01-01'` (in UTC), or a date and a time with `Z` or an offset. The day must exist. A number
 * between -10<sup>11</sup> and 10<sup>11</sup> other than 0 is refused, because it is probably Unix time in seconds.
 */
export type Instant = string | Date | number;
