/** What one call makes: an ID, a promise of one, or a batch. */
export type Made = bigint | string | BigUint64Array | string[] | Promise<string>;

/** One generator, ready to issue. */
export interface Maker {
  /** Generates IDs as bigints. Absent where the package has no such IDs. */
  readonly bigint?: () => Made;
  /** Generates IDs as strings: decimal ones where IDs are 64-bit integers. */
  readonly string?: () => Made;
}

/** A package that generates IDs. */
export interface Rival {
  /** What the tables call it. */
  readonly name: string;
  readonly version: string;
  /** Worker ID and sequence, or randomness. */
  readonly kind: 'snowflake' | 'random';
  /** IDs that one call makes; more than 1 for batches. */
  readonly idsPerCall: number;
  /** IDs of a burst, if a millisecond has less than 4,000. */
  readonly burstIds?: number;
  /**
   * Where it reads the time. A step of the clock is tried on those that read `Date`; the others don't see it: `hrtime`, and
   * `internal`, the clock of Node's own modules.
   */
  readonly clock: 'Date' | 'hrtime' | 'internal' | 'none';
  /** A generator that has generated no ID yet. */
  make(): Maker | Promise<Maker>;
}
