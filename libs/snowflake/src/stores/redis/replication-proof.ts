import { InvalidOptionError } from '../../core/errors/input-errors.js';

/**
 * A point in a master's replication stream, marked by the `prove` script. A replica that acknowledges a higher offset has
 * followed this master since then, however late the master reads the acknowledgement.
 */
export interface ReplicationProof {
  /** The master's clock at that point, Unix milliseconds. */
  readonly storeNowMs: number;
  /** The master's history ID: offsets of different histories can't be compared. */
  readonly historyId: string;
  /** Bytes of the stream so far, in decimal digits because the number may exceed 2^53. */
  readonly offset: string;
}

/** Replicas acknowledge once a second. Until then a master appears to have no replicas. */
const ACKNOWLEDGED_WITHIN_MS = 1200;
/** The interval between requests to the master while the store waits for acknowledgements. */
export const REQUEST_EVERY_MS = 150;
/** The time that one more request to the master takes. */
export const LAST_REQUEST_MS = 200;
const LEAST_CALL_TIMEOUT_MS = ACKNOWLEDGED_WITHIN_MS + LAST_REQUEST_MS;
/** By default the call timeout is one thirtieth of the window. */
const LEAST_WINDOW_MS = 30 * LEAST_CALL_TIMEOUT_MS;
/** A proof must outlast the wait for the acknowledgement. */
const LEAST_MAX_SKEW_MS = 2000;

/** @throws InvalidOptionError if a call is too short for replicas to acknowledge within it */
export function requireTimeToProve(callTimeoutMs: number): void {
  if (callTimeoutMs >= LEAST_CALL_TIMEOUT_MS) return;
  throw new InvalidOptionError(
    'lease.callTimeoutMs',
    callTimeoutMs,
    `is less than the ${LEAST_CALL_TIMEOUT_MS} ms that minReplicas needs: replicas acknowledge once a second`,
    `Use ${LEAST_CALL_TIMEOUT_MS} or more, and set maxSkewMs to twice that. With a windowMs of ` +
      `${LEAST_WINDOW_MS} or more, the defaults are large enough.`,
  );
}

/** @throws InvalidOptionError if a proof would expire before replicas acknowledge */
export function requireLastingProof(maxSkewMs: number): void {
  if (maxSkewMs >= LEAST_MAX_SKEW_MS) return;
  throw new InvalidOptionError(
    'lease.maxSkewMs',
    maxSkewMs,
    `is less than the ${LEAST_MAX_SKEW_MS} ms that minReplicas needs: replicas acknowledge once a second`,
    `Use ${LEAST_MAX_SKEW_MS} or more.`,
  );
}
