import type { BackfillReply, LeaseReply, RegistrySnapshot, ReleaseReply } from '../../lease/lease-store.js';
import {
  BACKFILL_REPLIES,
  LEASE_REPLIES,
  OPTIONAL_IN_REPLIES,
  REGISTRY,
  RELEASE_REPLIES,
} from '../lease-fields.js';
import type { ObjectSchema } from '../../kit/schema.js';
import { FieldReader } from './field-reader.js';

/** Converts the reply to a lease request. @throws StoreRejectedError if no service sends it */
export function toLeaseReply(reply: unknown, describedAs: string): LeaseReply {
  const converted = toReply<LeaseReply>(reply, describedAs, LEASE_REPLIES);
  // A later version may know further reasons.
  if (converted.outcome !== 'wait' || converted.reason === 'history') return converted;
  return { ...converted, reason: 'empty' };
}

/** Converts the reply to a release. @throws StoreRejectedError if no service sends it */
export function toReleaseReply(reply: unknown, describedAs: string): ReleaseReply {
  return toReply<ReleaseReply>(reply, describedAs, RELEASE_REPLIES);
}

/** Converts the reply to a claim of the past. @throws StoreRejectedError if no service sends it */
export function toBackfillReply(reply: unknown, describedAs: string): BackfillReply {
  return toReply<BackfillReply>(reply, describedAs, BACKFILL_REPLIES);
}

/** Converts the registry. @throws StoreRejectedError if no service sends it */
export function toSnapshot(reply: unknown, describedAs: string): RegistrySnapshot {
  return new FieldReader(reply, describedAs).object(
    REGISTRY.properties,
    REGISTRY.optional,
  ) as RegistrySnapshot;
}

function toReply<Reply extends object>(
  reply: unknown,
  describedAs: string,
  replies: Readonly<Record<string, ObjectSchema['properties']>>,
): Reply {
  const read = new FieldReader(reply, describedAs);
  const outcome = read.text('outcome');
  const fields = Object.hasOwn(replies, outcome) ? replies[outcome] : undefined;
  if (!fields) return read.refuse();
  return { outcome, ...read.object(fields, OPTIONAL_IN_REPLIES) } as Reply;
}
