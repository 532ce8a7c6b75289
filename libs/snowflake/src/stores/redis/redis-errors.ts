import type { SnowflakeError } from '../../core/errors/snowflake-error.js';
import {
  StoreCorruptError,
  StoreRejectedError,
  StoreUnavailableError,
} from '../../core/errors/lease-errors.js';
import { type ForeignError, safeCopy } from '../../core/errors/foreign-error.js';
import { type Credentials, NO_CREDENTIALS } from '../../kit/credentials.js';
import { TLS_FAULT, TLS_REMEDY } from '../tls-fault.js';
import { CLUSTER_RIGHT, leastRights } from './registry-key.js';

/** The store that a call was made for, as errors name it. */
export interface StoreIdentity {
  readonly description: string;
  readonly namespace: string;
}

/** What an operator must change so that a server no longer refuses. */
export type RefusalSubject = 'credentials' | 'rights' | 'server' | 'tls' | 'database' | 'data';

/** A reply of the server that stays the same however often the call is repeated. */
interface Refusal {
  readonly subject: RefusalSubject;
  readonly matches: RegExp;
  readonly toError: (store: StoreIdentity, cause: ForeignError, credentials: Credentials) => SnowflakeError;
}

const rejected =
  (
    remedy: string | ((store: StoreIdentity) => string),
    who: 'user' | 'sentinelUser' = 'user',
  ): Refusal['toError'] =>
  (store, cause, { [who]: user }) => {
    const whatToDo = typeof remedy === 'string' ? remedy : remedy(store);
    const as = user === undefined ? '' : ` (user "${user}")`;
    return new StoreRejectedError(
      `${store.description} refuses this client${as}: ${describe(cause)}. ${whatToDo}`,
      cause,
    );
  };

const REFUSALS: readonly Refusal[] = [
  {
    subject: 'credentials',
    matches: /\bsentinels\b.*\b(WRONGPASS|NOAUTH|NOPERM)\b/,
    toError: rejected('Correct sentinelUsername and sentinelPassword in options.', 'sentinelUser'),
  },
  {
    subject: 'credentials',
    matches: /\b(WRONGPASS|NOAUTH)\b|invalid password|invalid username-password|unauthenticated/,
    toError: rejected(
      'Correct the user name and password of the connection. In a URL, a colon comes before a password without a user.',
    ),
  },
  {
    subject: 'rights',
    matches: /\bNOPERM\b|can't run this command|can't access|has no permissions/,
    toError: rejected(
      ({ namespace }) =>
        `Grant its user these rights: ${leastRights(namespace)} (also ${CLUSTER_RIGHT} with Redis Cluster, +select with ` +
        'a database other than 0).',
    ),
  },
  {
    subject: 'server',
    matches: /not allowed from script/,
    toError: rejected(
      'The scripts call INFO to detect lost leases. Redis Enterprise and Redis Cloud refuse it: use Redis, Valkey or ' +
        'sqlLeaseStore.',
    ),
  },
  {
    subject: 'server',
    matches: /unknown command|Unknown Redis command/,
    toError: rejected(
      'The store needs Lua scripts with TIME, INFO and hashes: connect directly to Redis 5 or later.',
    ),
  },
  {
    subject: 'server',
    // The parser of ioredis asks to report it.
    matches: /Unknown RESP type/,
    toError: ({ description }, cause) =>
      new StoreRejectedError(
        `${description} gets answers that are not in the Redis protocol: this is another kind of server. Correct the host and ` +
          'the port, and use rediss:// if the server expects TLS.',
        cause,
      ),
  },
  { subject: 'tls', matches: TLS_FAULT, toError: rejected(TLS_REMEDY) },
  {
    subject: 'server',
    matches: /^(MOVED|ASK) /,
    toError: rejected('This is a Redis Cluster: use the option cluster, or pass a Cluster as client.'),
  },
  {
    subject: 'server',
    matches: /cluster support disabled/,
    toError: rejected('This server is not in a Redis Cluster: use the option url instead of cluster.'),
  },
  {
    subject: 'database',
    matches: /DB index is out of range|SELECT is not allowed/,
    toError: rejected('Use a database that the server has: 0 in a cluster, otherwise 0 to 15 by default.'),
  },
  {
    subject: 'data',
    matches: /\bWRONGTYPE\b/,
    toError: ({ description }) =>
      new StoreCorruptError(description, '(the key itself)', 'another type than a hash'),
  },
];

/** Returns what the operator must change; `undefined` if the error is none of the known refusals. */
export function refusalSubject(error: unknown): RefusalSubject | undefined {
  return refusalIn(rootOf(error))?.subject;
}

function refusalIn({ message }: Error): Refusal | undefined {
  return REFUSALS.find(({ matches }) => matches.test(message));
}

/** If no node of a cluster answers, ioredis keeps the reason in the error of the last node that it tried. */
function rootOf(error: unknown): Error {
  const last: unknown = error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : undefined;
  if (last instanceof Error) return last;
  return error instanceof Error ? error : new Error(String(error));
}

/** An AggregateError of several refused addresses has a code but no message. */
function describe({ message, code, name }: ForeignError): string {
  return (message || String(code ?? name)).replace(/\.+$/, '');
}

/**
 * Turns an error of a call into an error of this library. Unless the error is a known permanent refusal, it counts as
 * retryable: timeouts, lost connections, READONLY, LOADING, CLUSTERDOWN, NOREPLICAS, OOM, MASTERDOWN, TRYAGAIN, BUSY and
 * any other reply.
 *
 * @param error the error of the call
 * @param connectionError the last error of the connection, which says more than "no more retries"
 * @param credentials the user to name, and the passwords to remove from ioredis's errors
 */
export function toRedisStoreError(
  store: StoreIdentity,
  error: unknown,
  connectionError?: Error,
  credentials: Credentials = NO_CREDENTIALS,
): SnowflakeError {
  const thrown = rootOf(connectionError ?? error);
  const reason = safeCopy(thrown, credentials.redaction);
  const refusal = refusalIn(thrown);
  if (refusal) return refusal.toError(store, reason, credentials);
  return new StoreUnavailableError(`${store.description} is unavailable: ${describe(reason)}`, reason);
}
