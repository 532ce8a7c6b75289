import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { seeDocs } from 'nestjs-snowflake/internal/core/see-docs';
import { SnowflakeError } from 'nestjs-snowflake/core';

/**
 * A segment source has fewer numbers left than the call needs. `cause` is the error of the last claim, if it failed.
 *
 * Respond with 503, or await `ready()`. If this happens while the store answers, raise `minStep`.
 */
export class SegmentExhaustedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_SEGMENT_EXHAUSTED';
  override readonly retryable = true;

  /**
   * @param wanted how many numbers the call needs
   * @param left how many numbers the source has left
   */
  constructor(
    readonly tag: string,
    readonly wanted: number,
    readonly left: number,
    cause?: SnowflakeError,
  ) {
    const why = cause ? `The last claim failed: ${cause.message}` : 'The next segment is being claimed.';
    super(
      `The tag ${showValue(tag)} has ${left} numbers left, but the call needs ${wanted}. Await ready() or retry. ${why}`,
      { cause },
    );
  }
}

/**
 * The store has no counter for the tag.
 *
 * Correct the name, or create the tag with `segments.create(tag)`.
 */
export class UnknownTagError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_UNKNOWN_TAG';

  constructor(
    readonly tag: string,
    readonly store: string,
  ) {
    super(
      `The ${store} has no tag ${showValue(tag)}. Correct the name, or create the tag: await segments.create('…').`,
    );
  }
}

/**
 * Committed claims may be lost, so the store refuses all claims. The database was restarted, restored or replaced, as the message says.
 *
 * Find the highest number of every tag, and call `segments.resume({ tag: highest })`.
 */
export class HistoryChangedError extends SnowflakeError {
  readonly code = 'SNOWFLAKE_HISTORY_CHANGED';

  /**
   * @param reason `history`: the server has another history ID; `restored`: a counter is lower than a number that was
   * granted; `replaced`: another database has served at this position of `dataSources`
   */
  constructor(
    readonly store: string,
    readonly reason: 'history' | 'restored' | 'replaced',
  ) {
    super(
      `The ${store} may have lost claims: ${REASONS[reason]}. It grants no numbers until an operator passes the highest ` +
        `number of every tag: await segments.resume({ order: 4711, … }). ${seeDocs('operations/restoring-a-backup')}`,
    );
  }
}

const REASONS = {
  history: 'the server was restarted, restored or replaced, or its tables were restored',
  restored: 'a counter is lower than a number that was granted before',
  replaced:
    'according to the other databases, another one has served the tag in its place. If the order of dataSources has changed, ' +
    'restore it',
};
