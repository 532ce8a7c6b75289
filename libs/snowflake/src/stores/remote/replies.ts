import { text } from '../../kit/schema.js';
import type { BackfillReply, LeaseReply, RegistrySnapshot, ReleaseReply } from '../../lease/lease-store.js';
import {
  BACKFILL_REPLIES,
  LEASE_REPLIES,
  OPTIONAL_IN_REPLIES,
  REGISTRY,
  RELEASE_REPLIES,
} from '../lease-fields.js';
import { ReplyReader } from './reply-reader.js';

/** A later version of the service may know further reasons to wait. */
const KNOWN_OR_LATER = { ...LEASE_REPLIES, wait: { ...LEASE_REPLIES.wait, reason: text() } };

/** Converts the reply to a lease request. @throws StoreRejectedError if no service sends it */
export function toLeaseReply(reply: unknown, description: string): LeaseReply {
  const read = new ReplyReader(reply, description).reply<LeaseReply>(KNOWN_OR_LATER, OPTIONAL_IN_REPLIES);
  if (read.outcome !== 'wait' || read.reason === 'history') return read;
  return { ...read, reason: 'empty' };
}

/** Converts the reply to a release. @throws StoreRejectedError if no service sends it */
export function toReleaseReply(reply: unknown, description: string): ReleaseReply {
  return new ReplyReader(reply, description).reply<ReleaseReply>(RELEASE_REPLIES, OPTIONAL_IN_REPLIES);
}

/** Converts the reply to a claim of the past. @throws StoreRejectedError if no service sends it */
export function toBackfillReply(reply: unknown, description: string): BackfillReply {
  return new ReplyReader(reply, description).reply<BackfillReply>(BACKFILL_REPLIES);
}

/** Converts the registry. @throws StoreRejectedError if no service sends it */
export function toSnapshot(reply: unknown, description: string): RegistrySnapshot {
  return new ReplyReader(reply, description).object(REGISTRY.properties, REGISTRY.optional);
}
