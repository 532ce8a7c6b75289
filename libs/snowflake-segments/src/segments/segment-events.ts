import type { SnowflakeError } from 'nestjs-snowflake/core';

/** What happens to the segments of a tag. */
export type SegmentEvent =
  | { readonly type: 'claimed'; readonly tag: string; readonly first: number; readonly count: number }
  /** A claim failed. Sent for the first failure of an outage, and whenever the error code changes. */
  | { readonly type: 'claim-failed'; readonly tag: string; readonly error: SnowflakeError }
  | { readonly type: 'recovered'; readonly tag: string; readonly failures: number }
  /** One of several databases could not grant a segment, and another one did. Sent once for all tags. */
  | {
      readonly type: 'database-failed';
      readonly tag: string;
      readonly database: string;
      readonly error: SnowflakeError;
    }
  | { readonly type: 'database-recovered'; readonly tag: string; readonly database: string }
  | { readonly type: 'returned'; readonly tag: string; readonly count: number }
  /** Unused numbers remain a gap, because the store did not take them back. */
  | { readonly type: 'return-failed'; readonly tag: string; readonly count: number };

/** Called with every {@link SegmentEvent}. What it throws is ignored. */
export type SegmentListener = (event: SegmentEvent) => void;
