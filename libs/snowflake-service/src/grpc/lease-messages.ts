import { checkLeaseRequest, checkReleaseRequest } from 'nestjs-snowflake/internal/stores/check-request';
import type {
  LeaseReply,
  LeaseRequest,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
} from 'nestjs-snowflake/store';
import { requireCallName } from '../requests/call-name.js';

/** A whole number of 64 bits, as a decimal string. */
type Int64 = string;

/** What all requests for leases have. */
export interface OfNamespace {
  /** The name of the call, which the response repeats. */
  readonly call: string;
  readonly namespace: string;
}

export interface LeaseMessage extends OfNamespace {
  readonly layout: string;
  readonly firstWorkerId: Int64;
  readonly workerCount: Int64;
  readonly windowMs: Int64;
  readonly maxSkewMs: Int64;
  readonly nonce: string;
  readonly attempts: readonly string[];
  readonly retry: boolean;
  readonly assumeNew: boolean;
  readonly ignoreLoss: boolean;
  readonly searchSeed: Int64;
  readonly preferLongestOffline: boolean;
  readonly claim?: {
    readonly workerId: Int64;
    readonly fencingToken: string;
    readonly untilMs: Int64;
  } | null;
}

export interface ReleaseMessage extends OfNamespace {
  readonly workerId: Int64;
  readonly fencingToken: string;
  readonly lastUsedMs: Int64;
}

/** Reads the request to acquire or renew a lease. @throws RequestRefusal, InvalidOptionError */
export function readLeaseMessage(message: LeaseMessage): LeaseRequest {
  requireCallName('call', message.call);
  const { layout, nonce, attempts, retry, assumeNew, ignoreLoss, preferLongestOffline, claim } = message;
  const request: LeaseRequest = {
    layout,
    // What a number can't hold is far out of bounds.
    firstWorkerId: Number(message.firstWorkerId),
    workerCount: Number(message.workerCount),
    windowMs: Number(message.windowMs),
    maxSkewMs: Number(message.maxSkewMs),
    nonce,
    ...(attempts.length > 0 && { attempts }),
    retry,
    assumeNew,
    ignoreLoss,
    searchSeed: Number(message.searchSeed),
    preferLongestOffline,
    ...(claim && {
      claim: {
        workerId: Number(claim.workerId),
        fencingToken: claim.fencingToken,
        untilMs: Number(claim.untilMs),
      },
    }),
  };
  checkLeaseRequest(request);
  return request;
}

/** Reads the request to release a lease. @throws RequestRefusal, InvalidOptionError */
export function readReleaseMessage(message: ReleaseMessage): ReleaseRequest {
  requireCallName('call', message.call);
  const { workerId, fencingToken, lastUsedMs } = message;
  const request = { workerId: Number(workerId), fencingToken, lastUsedMs: Number(lastUsedMs) };
  checkReleaseRequest(request);
  return request;
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

/** Returns the response to a reading of the registry. */
export function inspectResponse(snapshot: RegistrySnapshot): object {
  return { ...snapshot };
}
