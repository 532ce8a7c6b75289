/** Matches the names and addresses of this machine, as URLs and drivers write them. */
const LOOPBACK = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|::1|\[::1\])\.?$/i;

/** Returns whether `host` is this machine: a loopback name or address, or the path of a Unix socket. */
export function isLoopbackHost(host: unknown): boolean {
  return typeof host === 'string' && (host.startsWith('/') || LOOPBACK.test(host));
}

/** Returns whether all of these hosts are this machine. Returns `false` for none, because then nothing is known. */
export function areLoopbackHosts(hosts: readonly unknown[]): boolean {
  return hosts.length > 0 && hosts.every(isLoopbackHost);
}
