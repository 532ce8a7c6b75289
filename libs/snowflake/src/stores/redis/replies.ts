import { StoreCorruptError, StoreRejectedError } from '../../core/errors/lease-errors.js';
import { showValue } from '../../core/errors/show-value.js';
import type { LeaseReply, RegistrySnapshot, ReleaseReply } from '../../lease/lease-store.js';
import { readSnapshot, readWholeNumber } from '../registry-format.js';
import type { ReplicationProof } from './replication-proof.js';
import { serverRefusal } from './server-refusals.js';

type Reply = readonly string[];

/** The fields of one reply, by position. */
class ReplyReader {
  constructor(
    private readonly reply: Reply,
    private readonly description: string,
  ) {}

  text(index: number): string {
    const value = this.reply[index];
    if (typeof value === 'string') return value;
    throw this.unexpected();
  }

  number(index: number): number {
    const value = readWholeNumber(this.text(index));
    if (value !== undefined) return value;
    throw this.unexpected();
  }

  /** Returns the error for a reply that refuses the server, or that no script of this library sends. */
  unexpected(): StoreRejectedError {
    const refusal = serverRefusal(this.reply, this.description);
    if (refusal) return refusal;
    return new StoreRejectedError(
      `${this.description} replied ${showValue(this.reply)}, which no script of this library sends. ` +
        'Connect to Redis directly: a proxy may alter replies.',
    );
  }
}

/**
 * Converts a reply of the `lease` script to a typed reply.
 *
 * @throws StoreRejectedError if the script refuses its server, or the reply comes from something else
 */
export function toLeaseReply(reply: Reply, description: string): LeaseReply {
  const read = new ReplyReader(reply, description);
  switch (reply[0]) {
    case 'KEPT':
      return {
        outcome: 'kept',
        storeNowMs: read.number(1),
        untilMs: read.number(2),
        fencingToken: read.text(3),
      };
    case 'COPIED':
      return { outcome: 'copied', storeNowMs: read.number(1) };
    case 'NEW':
      return {
        outcome: 'new',
        storeNowMs: read.number(1),
        workerId: read.number(2),
        fencingToken: read.text(3),
        fromMs: read.number(4),
        untilMs: read.number(5),
      };
    case 'WAIT':
      return {
        outcome: 'wait',
        storeNowMs: read.number(1),
        waitMs: read.number(2),
        reason: read.text(3) === 'history' ? 'history' : 'empty',
      };
    case 'FULL':
      return { outcome: 'full', storeNowMs: read.number(1), nextFreeInMs: read.number(2) };
    case 'ALONE':
      return { outcome: 'alone', storeNowMs: read.number(1), replicas: read.number(2) };
    case 'LAYOUT':
      return { outcome: 'layout', storedLayout: read.text(1) };
    case 'CORRUPT':
      return { outcome: 'corrupt', field: read.text(1), stored: read.text(2) };
    default:
      throw read.unexpected();
  }
}

/**
 * Converts a reply of the `prove` script.
 *
 * @throws StoreRejectedError if the script refuses its server, or the reply comes from something else
 */
export function toReplicationProof(reply: Reply, description: string): ReplicationProof {
  const read = new ReplyReader(reply, description);
  if (reply[0] === 'PROOF')
    return { storeNowMs: read.number(1), historyId: read.text(2), offset: read.text(3) };
  throw read.unexpected();
}

/**
 * Converts a reply of the `release` script to a typed reply.
 *
 * @throws StoreCorruptError if the row of the worker ID is unreadable
 */
export function toReleaseReply(reply: Reply, description: string): ReleaseReply {
  const read = new ReplyReader(reply, description);
  switch (reply[0]) {
    case 'RELEASED':
      return { outcome: 'released' };
    case 'GONE':
      return { outcome: 'gone' };
    case 'CORRUPT':
      throw new StoreCorruptError(description, read.text(1), read.text(2));
    default:
      throw read.unexpected();
  }
}

/** A reply of the `inspect` script: the stored fields, and the server's clock. */
export interface StoredFields {
  readonly fields: Map<string, string>;
  readonly nowMs: number;
}

/** Converts a reply of the `inspect` script. */
export function toFields(reply: Reply, description: string): StoredFields {
  const read = new ReplyReader(reply, description);
  const fields = new Map<string, string>();
  for (let index = 1; index < reply.length; index += 2) fields.set(read.text(index), read.text(index + 1));
  return { fields, nowMs: read.number(0) };
}

/** Converts a reply of the `inspect` script to a snapshot. */
export function toSnapshot(reply: Reply, description: string): RegistrySnapshot {
  const { fields, nowMs } = toFields(reply, description);
  return readSnapshot(fields, nowMs);
}

/**
 * Converts a reply of the `backfill` script.
 *
 * @throws StoreRejectedError if the script refuses its server, or the reply comes from something else
 */
export function toBackfillOutcome(reply: Reply, description: string): 'claimed' | 'changed' | 'lost' {
  switch (reply[0]) {
    case 'CLAIMED':
      return 'claimed';
    case 'CHANGED':
      return 'changed';
    case 'LOST':
      return 'lost';
    default:
      throw new ReplyReader(reply, description).unexpected();
  }
}
