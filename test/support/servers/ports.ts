import getPort from 'get-port';

/**
 * Below the ports that the kernel hands to outgoing connections (so that a server that was killed finds its port
 * free again), and far enough below 65,536 for the second port of a Redis Cluster member, 10,000 above.
 */
const LOWEST = 12_000;
const HIGHEST = 32_000;
const TRIES = 50;
const START_TRIES = 3;

/**
 * Starts something on a free port. Another process may take the port before it is in use: then it
 * is tried on another one.
 */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return await start(port);
    } catch (error) {
      if (attempt >= START_TRIES) throw error;
    }
  }
}

/** Returns a free port on 127.0.0.1. It is random, because several test processes call this at the same time. */
export async function freePort(): Promise<number> {
  const candidates = Array.from(
    { length: TRIES },
    () => LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST)),
  );
  const port = await getPort({ host: '127.0.0.1', port: candidates });
  if (port < LOWEST || port >= HIGHEST)
    throw new Error(`No free port found in ${TRIES} tries between ${LOWEST} and ${HIGHEST}`);
  return port;
}
