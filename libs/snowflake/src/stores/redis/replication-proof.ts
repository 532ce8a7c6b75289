import { InvalidOptionError } from '../../core/errors/index.js';

/**
 * A point in a master's replication stream, marked by the `prove` script. A replica that acknowledges more has followed this
 * master since then, however late the acknowledgement is read.
 */
export interface ReplicationProof {
  /** The master's clock when the point was marked, Unix milliseconds. */
  readonly storeNowMs: number;
  /** The master's replication ID: offsets of another one cannot be compared. */
  readonly historyId: string;
  /** Bytes of the stream so far, in decimal digits: it may pass 2^53. */
  readonly offset: string;
}

/** Replicas acknowledge once a second. Until then a master seems to have no replicas. */
const ACKNOWLEDGED_WITHIN_MS = 1200;
/** The interval at which the master is asked meanwhile. */
export const ASK_EVERY_MS = 150;
/** The time that one more question to the master needs. */
export const LAST_QUESTION_MS = 200;
const LEAST_CALL_TIMEOUT_MS = ACKNOWLEDGED_WITHIN_MS + LAST_QUESTION_MS;
/** By default a call has one thirtieth of the window. */
const LEAST_WINDOW_MS = 30 * LEAST_CALL_TIMEOUT_MS;
/** A proof must outlast the wait for the acknowledgement. */
const LEAST_MAX_SKEW_MS = 2000;

/** @throws InvalidOptionError if replicas have no time to acknowledge within one call */
export function requireTimeToProve(callTimeoutMs: number): void {
  if (callTimeoutMs >= LEAST_CALL_TIMEOUT_MS) return;
  throw new InvalidOptionError(
    'lease.callTimeoutMs',
    callTimeoutMs,
    `is less than ${LEAST_CALL_TIMEOUT_MS} ms, which minReplicas needs: replicas acknowledge once a second`,
    `Use ${LEAST_CALL_TIMEOUT_MS} or more, and set maxSkewMs to twice that; a windowMs of ` +
      `${LEAST_WINDOW_MS} or more has such defaults.`,
  );
}

/** @throws InvalidOptionError if a proof would be too old before replicas have acknowledged */
export function requireLastingProof(maxSkewMs: number): void {
  if (maxSkewMs >= LEAST_MAX_SKEW_MS) return;
  throw new InvalidOptionError(
    'lease.maxSkewMs',
    maxSkewMs,
    `is less than ${LEAST_MAX_SKEW_MS} ms, which minReplicas needs: replicas acknowledge once a second`,
    `Use ${LEAST_MAX_SKEW_MS} or more.`,
  );
}

/** Returns the arguments of the `lease` script for a proof, in order. */
export function proofArguments(proof: ReplicationProof | undefined): string[] {
  return proof ? [String(proof.storeNowMs), proof.historyId, proof.offset] : ['', '', ''];
}
