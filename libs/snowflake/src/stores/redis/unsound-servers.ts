import { InvalidOptionError } from '../../core/errors/index.js';

/** The script finds no longer name, and separates names by spaces. */
const SERVER_NAME = /^[\w-]{1,60}$/;

/** What is known of a server that speaks the protocol of Redis and can't be trusted with leases. */
interface UnsoundServer {
  readonly title: string;
  readonly reason: string;
}

/** By the name that `INFO server` tells; docs/OPERATIONS.md says where each reason comes from. */
const UNSOUND_SERVERS: Readonly<Record<string, UnsoundServer>> = {
  dragonfly: {
    title: 'Dragonfly',
    reason: 'has no run ID, and keeps its replication ID when a stale replica has replaced its writes',
  },
  garnet: {
    title: 'Garnet',
    reason: 'restores its IDs from its disk in a cluster, and has no replication ID outside of one',
  },
  kvrocks: { title: 'Apache Kvrocks', reason: 'has neither a replication ID nor a run ID' },
  upstash: {
    title: 'Upstash',
    reason: 'is eventually consistent: two of its servers can grant one worker ID',
  },
};

/** The server that a name means, if it is known to be unsound. No operator can vouch for it. */
export function unsoundServer(name: string): UnsoundServer | undefined {
  return Object.hasOwn(UNSOUND_SERVERS, name) ? UNSOUND_SERVERS[name] : undefined;
}

/**
 * Checks the option `assumeRedisHistory`.
 *
 * @throws InvalidOptionError when it isn't a list of names, or names a server that is known to be unsound
 */
export function checkAssumedServers(names: unknown = []): void {
  const option = 'assumeRedisHistory';
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string' && SERVER_NAME.test(name))) {
    const remedy = "Write each as INFO server tells it before _version, e.g. ['redict'].";
    throw new InvalidOptionError(option, names, 'must be a list of names of servers', remedy);
  }
  for (const name of names as readonly string[]) {
    const server = unsoundServer(name);
    if (!server) continue;
    const remedy = 'Use Redis, Valkey or sqlLeaseStore.';
    throw new InvalidOptionError(option, name, `can't be assumed: ${server.title} ${server.reason}`, remedy);
  }
}
