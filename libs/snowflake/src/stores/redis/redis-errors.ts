import type { SnowflakeError } from '../../core/errors.js';
import { StoreCorruptError, StoreRejectedError, StoreUnavailableError } from '../../core/errors.js';
import { CLUSTER_RIGHT, leastRights } from './registry-key.js';

/** The store that a call was made for, as errors name it. */
export interface StoreIdentity {
  readonly description: string;
  readonly namespace: string;
}

/** A reply of the server that means the same however often the call is repeated. */
interface Refusal {
  readonly matches: RegExp;
  readonly toError: (store: StoreIdentity, cause: Error) => SnowflakeError;
}

const rejected =
  (remedy: string | ((store: StoreIdentity) => string)): Refusal['toError'] =>
  (store, cause) => {
    const whatToDo = typeof remedy === 'string' ? remedy : remedy(store);
    return new StoreRejectedError(
      `${store.description} refuses this client: ${describe(cause)}. ${whatToDo}`,
      cause,
    );
  };

const REFUSALS: readonly Refusal[] = [
  {
    matches: /\b(WRONGPASS|NOAUTH)\b|invalid password|invalid username-password|unauthenticated/,
    toError: rejected('Correct user name and password of the connection.'),
  },
  {
    matches: /\bNOPERM\b|can't run this command|can't access|has no permissions/,
    toError: rejected(
      ({ namespace }) =>
        `Give its user these rights: ${leastRights(namespace)} (also ${CLUSTER_RIGHT} with Redis Cluster, +select with ` +
        'a database other than 0).',
    ),
  },
  {
    matches: /not allowed from script/,
    toError: rejected(
      'The scripts call INFO, to see whether leases may have been forgotten. Redis Enterprise and Redis Cloud refuse it: ' +
        'use Redis or Valkey itself, or sqlLeaseStore.',
    ),
  },
  {
    matches: /unknown command|Unknown Redis command/,
    toError: rejected(
      'Lua scripts with TIME, INFO and hashes are needed: connect to Redis 5 or later itself.',
    ),
  },
  {
    matches: /^(MOVED|ASK) /,
    toError: rejected('This is a Redis Cluster: use the option cluster, or a Cluster as client.'),
  },
  {
    matches: /cluster support disabled/,
    toError: rejected('This is no Redis Cluster: use the option url instead of cluster.'),
  },
  {
    matches: /DB index is out of range|SELECT is not allowed/,
    toError: rejected('Use a database that the server has: 0 in a cluster, else 0 to 15 unless configured.'),
  },
  {
    matches: /\bWRONGTYPE\b/,
    toError: ({ description }) =>
      new StoreCorruptError(description, '(the key itself)', 'another type than a hash'),
  },
];

/** The reason why a connection attempt to a whole cluster failed is in the error of the last node asked. */
function rootOf(error: unknown): Error {
  const last: unknown = error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : undefined;
  if (last instanceof Error) return last;
  return error instanceof Error ? error : new Error(String(error));
}

/** An AggregateError of several refused addresses has a code and no message. */
function describe(error: Error): string {
  const said = error.message || ('code' in error ? String(error.code) : error.name);
  return said.replace(/\.+$/, '');
}

/**
 * Turns whatever a call ended with into an error of this library. What is not known to be a refusal for good is
 * taken as passing: timeouts, lost connections, READONLY, LOADING, CLUSTERDOWN, NOREPLICAS, OOM, MASTERDOWN,
 * TRYAGAIN, BUSY and whatever else a server says.
 *
 * @param error what the call ended with
 * @param connectionError what the connection last reported; tells more than "no more retries" does
 */
export function toStoreError(store: StoreIdentity, error: unknown, connectionError?: Error): SnowflakeError {
  const reason = rootOf(connectionError ?? error);
  const refusal = REFUSALS.find(({ matches }) => matches.test(reason.message));
  if (refusal) return refusal.toError(store, reason);
  return new StoreUnavailableError(`${store.description} cannot serve now: ${describe(reason)}`, reason);
}
