/** Returns the key of a namespace's registry. The braces keep it in one slot of a Redis Cluster. */
export function registryKey(namespace: string): string {
  return `snowflake:{${namespace}}`;
}

/** Returns ACL rules for the only key and the only commands that a store uses. The page about Redis lists the same rules. */
export function leastRights(namespace: string): string {
  return `~${registryKey(namespace)} -@all +eval +evalsha +time +info +hget +hset +hmget +hgetall`;
}

/** Additional right for a Redis Cluster: ioredis asks which master has which slots. */
export const CLUSTER_RIGHT = '+cluster|slots';
