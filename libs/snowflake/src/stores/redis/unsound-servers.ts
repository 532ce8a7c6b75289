import { InvalidOptionError } from '../../core/errors/index.js';

/** Limited to 60 characters because the script finds no longer name; without spaces because it separates names by them. */
const SERVER_NAME = /^[\w-]{1,60}$/;

/** A server that speaks the Redis protocol but can't keep leases safely. */
interface UnsoundServer {
  readonly title: string;
  readonly reason: string;
}

/** By the name in `INFO server`. docs/stores/managed-redis.md cites the source of each reason. */
const UNSOUND_SERVERS: Readonly<Record<string, UnsoundServer>> = {
  dragonfly: {
    title: 'Dragonfly',
    reason: 'has no run ID, and keeps its replication ID when a stale replica replaces its writes',
  },
  garnet: {
    title: 'Garnet',
    reason: 'restores its IDs from disk in a cluster, and has no replication ID outside a cluster',
  },
  kvrocks: { title: 'Apache Kvrocks', reason: 'has neither a replication ID nor a run ID' },
  upstash: {
    title: 'Upstash',
    reason: 'is eventually consistent: two of its servers can grant the same worker ID',
  },
};

/** Returns the server of this name if it is known to be unsound. No operator can vouch for it. */
export function unsoundServer(name: string): UnsoundServer | undefined {
  return Object.hasOwn(UNSOUND_SERVERS, name) ? UNSOUND_SERVERS[name] : undefined;
}

/**
 * Checks the option `assumeRedisHistory`.
 *
 * @throws InvalidOptionError if it isn't a list of names, or names a server that is known to be unsound
 */
export function checkAssumedServers(names: unknown = []): void {
  const option = 'assumeRedisHistory';
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && SERVER_NAME.test(name))) {
    const remedy = "Use the part of the name before _version in INFO server, e.g. ['redict'].";
    throw new InvalidOptionError(option, names, 'must be a list of server names', remedy);
  }
  for (const name of names as readonly string[]) {
    const server = unsoundServer(name);
    if (!server) continue;
    const remedy = 'Use Redis, Valkey or sqlLeaseStore.';
    throw new InvalidOptionError(option, name, `can't be assumed: ${server.title} ${server.reason}`, remedy);
  }
}
