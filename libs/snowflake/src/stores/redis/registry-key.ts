/** The key of a namespace's registry. The braces keep it in one slot of a Redis Cluster. */
export function registryKey(namespace: string): string {
  return `snowflake:{${namespace}}`;
}

/** The ACL rules for the only key and the only commands that a store uses; docs/OPERATIONS.md prints the same ones. */
export function leastRights(namespace: string): string {
  return `~${registryKey(namespace)} -@all +eval +evalsha +time +info +hget +hset +hmget +hgetall`;
}

/** What a Redis Cluster needs besides: ioredis asks which master has which slots. */
export const CLUSTER_RIGHT = '+cluster|slots';
