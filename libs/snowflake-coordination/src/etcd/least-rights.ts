/** Returns what all keys of a namespace begin with. */
export function keyPrefix(namespace: string): string {
  return `snowflake/${namespace}/`;
}

/** Returns the commands that make a role with the only rights that a store uses. The page about etcd lists the same commands. */
export function leastRights(namespace: string): readonly string[] {
  const role = `snowflake-${namespace}`;
  return [
    `etcdctl role add ${role}`,
    `etcdctl role grant-permission ${role} readwrite ${keyPrefix(namespace)} --prefix`,
  ];
}
