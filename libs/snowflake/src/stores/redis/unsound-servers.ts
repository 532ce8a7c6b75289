/** A server that speaks the Redis protocol but can't keep leases safely. */
interface UnsoundServer {
  readonly title: string;
  readonly reason: string;
}

/** By the name in `INFO server`. The page about managed Redis cites the source of each reason. */
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

/** The names of the servers that no operator can vouch for. */
export const UNSOUND_NAMES: readonly string[] = Object.keys(UNSOUND_SERVERS);

/** Returns the server of this name if it is known to be unsound. */
export function unsoundServer(name: string): UnsoundServer | undefined {
  return Object.hasOwn(UNSOUND_SERVERS, name) ? UNSOUND_SERVERS[name] : undefined;
}
