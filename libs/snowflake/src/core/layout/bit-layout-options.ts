/** The fields of an ID below the timestamp, named as in {@link BitLayoutOptions.order}. */
export type LowerFieldName = 'datacenter' | 'worker' | 'sequence';

/** The fields of an ID. */
export type FieldName = 'timestamp' | LowerFieldName;

/** Divides the 63 bits below the zero sign bit into fields. */
export interface BitLayoutOptions {
  /**
   * Width of the timestamp field in bits. Determines how long the layout lasts: 41 bits of milliseconds last 69.7
   * years. Default: the bits of 63 that the other fields leave. Bounds: 22 to 53.
   */
  timestampBits?: number;
  /** Width of the datacenter field in bits. Default 0: the layout has no such field. Bounds: 0 to 31. */
  datacenterBits?: number;
  /** Width of the worker ID in bits. Determines how many processes can issue at once. Default 10. Bounds: 0 to 31. */
  workerBits?: number;
  /** Width of the sequence in bits. Determines how many IDs a worker ID has per tick. Default 12. Bounds: 1 to 31. */
  sequenceBits?: number;
  /** Unit of the timestamp field in milliseconds. Default 1. Bounds: a whole number from 1 to 60,000. */
  tickMs?: number;
  /**
   * Order of the fields below the timestamp, most significant first. Default `['datacenter', 'worker', 'sequence']`.
   * The timestamp is always the most significant field, which makes IDs sort by time. The sequence must lie within the
   * lowest 32 bits.
   */
  order?: readonly LowerFieldName[];
}

/** An instant: an ISO 8601 string, a `Date`, or Unix time in milliseconds. */
export type Instant = string | Date | number;
