import type { EtcdServer } from '../../../../../test/support/servers/index.js';

/** Enables users on an etcd, with `root` (password `root`) and `shop` (password `s3cret/…`) in the role that these commands make. */
export async function enableUsers(
  etcd: EtcdServer,
  roleCommands: readonly string[],
  role: string,
): Promise<void> {
  for (const command of roleCommands) await etcd.control(...command.split(' ').slice(1));
  await etcd.control('user', 'add', `shop:${PASSWORD}`);
  await etcd.control('user', 'grant-role', 'shop', role);
  await etcd.control('user', 'add', 'root:root');
  await etcd.control('user', 'grant-role', 'root', 'root');
  await etcd.control('auth', 'enable');
}

/** Needs to be percent-encoded in a URL. */
export const PASSWORD = 's3cret/@9f27c1';

/** Returns the URL with a user and a password. */
export function urlOf(url: string, user: string, password = PASSWORD): string {
  return url.replace('://', `://${user}:${encodeURIComponent(password)}@`);
}
