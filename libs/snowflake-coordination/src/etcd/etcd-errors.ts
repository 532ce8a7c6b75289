import { StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/store';
import { Redaction } from 'nestjs-snowflake/internal/core/errors/redaction';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import { keyPrefix, leastRights } from './least-rights.js';

/** What the JSON gateway answered instead of a result. */
export interface Refusal {
  readonly status: number;
  /** The code of gRPC; `undefined` if something else than the gateway answered. */
  readonly code?: number;
  readonly message: string;
}

/** Who asked, as errors name it. */
export interface EtcdCaller {
  readonly description: string;
  readonly namespace: string;
  /** The user that authenticates; `undefined` without one. */
  readonly userName?: string;
}

const PRECONDITION_FAILED = 9;
const PERMISSION_DENIED = 7;
const NOT_FOUND_STATUS = 404;
/** Client errors that a retry can resolve: Request Timeout, Precondition Failed, Too Early, Too Many Requests. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 412, 425, 429]);
const SERVER_ERRORS = 500;

/** The server takes no token, or it is too old: another one helps. */
const STALE_TOKEN = /invalid auth token|revision of auth store is old/;
const NO_USER = /user name is empty/;
const COMMON_NAME = /CommonName of client/;
const LEASE_EXISTS = /lease already exists/;
const WRONG_PASSWORD = /authentication failed/;

/** Returns whether the member can't answer now. */
export function isServerError({ status }: Refusal): boolean {
  return status >= SERVER_ERRORS;
}

/** Returns whether the call may succeed with a new token. */
export function needsToken({ message }: Refusal): boolean {
  return STALE_TOKEN.test(message) || NO_USER.test(message);
}

/** Returns whether the server demands no user at all. */
export function needsNoUser({ code }: Refusal): boolean {
  return code === PRECONDITION_FAILED;
}

/** Returns whether somebody else has granted the lease. */
export function alreadyExists({ message }: Refusal): boolean {
  return LEASE_EXISTS.test(message);
}

/** Returns whether the user may not ask this. */
export function isForbidden({ code, message }: Refusal): boolean {
  return code === PERMISSION_DENIED || NO_USER.test(message);
}

/** Returns the error for a refusal. */
export function toEtcdStoreError(
  refusal: Refusal,
  caller: EtcdCaller,
  secrets: readonly string[],
): SnowflakeError {
  const { description } = caller;
  const { status } = refusal;
  const reason = new Redaction(secrets).clean(refusal.message).trim() || 'no reason is given';
  if (isServerError(refusal) || RETRYABLE.has(status)) {
    return new StoreUnavailableError(`${description} is unavailable: it answered ${status}: ${reason}`);
  }
  const as = caller.userName === undefined ? '' : ` (user "${caller.userName}")`;
  return new StoreRejectedError(
    `${description} refuses this client${as}: ${reason}. ${remedyFor(refusal, caller)}`,
  );
}

function remedyFor(refusal: Refusal, { namespace, userName }: EtcdCaller): string {
  if (refusal.code === PERMISSION_DENIED) {
    return `Give its user the right to read and write keys that begin with ${keyPrefix(namespace)}: ${leastRights(namespace).join(' && ')}`;
  }
  if (refusal.status === NOT_FOUND_STATUS) {
    return 'The address must be that of etcd 3.4 or later with its JSON gateway, which is on unless etcd runs with --enable-grpc-gateway=false.';
  }
  if (WRONG_PASSWORD.test(refusal.message)) return 'Correct the user and the password in the URL.';
  if (COMMON_NAME.test(refusal.message)) {
    return (
      'With users enabled, the JSON gateway refuses a client certificate with a common name (CN), even before it reads the ' +
      'password. Use a certificate without a CN, and a user and a password in the URL.'
    );
  }
  if (NO_USER.test(refusal.message) && userName === undefined)
    return 'Put a user and a password into the URL.';
  return 'Check that this is the address for clients of etcd, and whether it needs https.';
}
