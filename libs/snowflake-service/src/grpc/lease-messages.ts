import type { ObjectSchema, Schema } from 'nestjs-snowflake/internal/kit/schema';
import {
  checkBackfillRequest,
  checkLeaseRequest,
  checkReleaseRequest,
} from 'nestjs-snowflake/internal/stores/check-request';
import {
  BACKFILL_REQUEST,
  LEASE_REQUEST,
  RELEASE_REQUEST,
} from 'nestjs-snowflake/internal/stores/lease-fields';
import type {
  BackfillReply,
  BackfillRequest,
  LeaseReply,
  LeaseRequest,
  ReleaseReply,
  ReleaseRequest,
} from 'nestjs-snowflake/store';
import { requireCallName } from '../requests/call-name.js';

/** What all requests for leases have. */
export interface OfNamespace {
  /** The name of the call, which the response repeats. */
  readonly call: string;
  readonly namespace: string;
}

/** The request to acquire or renew a lease. */
export const readLeaseMessage = (message: OfNamespace): LeaseRequest =>
  readMessage(message, LEASE_REQUEST, checkLeaseRequest);

/** The request to release a lease. */
export const readReleaseMessage = (message: OfNamespace): ReleaseRequest =>
  readMessage(message, RELEASE_REQUEST, checkReleaseRequest);

/** The request to claim timestamps of the past. */
export const readBackfillMessage = (message: OfNamespace): BackfillRequest =>
  readMessage(message, BACKFILL_REQUEST, checkBackfillRequest);

/** Reads a request. @throws RequestRefusal, InvalidOptionError */
function readMessage<Request>(
  message: OfNamespace,
  schema: ObjectSchema,
  check: (request: Request) => void,
): Request {
  requireCallName('call', message.call);
  const request = fieldsOf(message, schema) as Request;
  check(request);
  return request;
}

/** Returns the fields of a schema. In messages, whole numbers are text, absent objects are null, and absent lists are empty. */
function fieldsOf(message: object, { properties }: ObjectSchema): object {
  const fields: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const value: unknown = Reflect.get(message, name);
    const isAbsent = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!isAbsent) fields[name] = valueOf(value, schema);
  }
  return fields;
}

function valueOf(value: unknown, schema: Schema): unknown {
  // What a number can't hold is far out of bounds.
  if (schema['type'] === 'integer') return Number(value);
  return schema['type'] === 'object' ? fieldsOf(value as object, schema as ObjectSchema) : value;
}

/** The names of the outcomes in messages, where `new` would be a keyword of many languages. */
const OUTCOMES: Readonly<Record<LeaseReply['outcome'], string>> = {
  new: 'granted',
  kept: 'kept',
  copied: 'copied',
  wait: 'wait',
  full: 'full',
  layout: 'layout',
  alone: 'alone',
  corrupt: 'corrupt',
};
const WAIT_REASONS = { empty: 'WAIT_REASON_EMPTY', history: 'WAIT_REASON_HISTORY' } as const;

/** Returns the response to a request to acquire or renew a lease. */
export function leaseResponse(call: string, reply: LeaseReply): object {
  const { outcome, ...fields } = reply;
  const reason = 'reason' in reply ? { reason: WAIT_REASONS[reply.reason] } : {};
  const storeNowMs = 'storeNowMs' in reply ? reply.storeNowMs : 0;
  return { call, storeNowMs, [OUTCOMES[outcome]]: { ...fields, ...reason } };
}

/** Returns the response to a release. */
export function releaseResponse(call: string, reply: ReleaseReply): object {
  const released = reply.outcome === 'released';
  return { call, released, ...('reservedUntilMs' in reply && { reservedUntilMs: reply.reservedUntilMs }) };
}

/** Returns the response to a claim of timestamps of the past. */
export function backfillResponse(call: string, { outcome, ...fields }: BackfillReply): object {
  return { call, [outcome === 'possible-loss' ? 'possibleLoss' : outcome]: fields };
}
