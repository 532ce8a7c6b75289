import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { within } from '../../../../test/support/wait.js';
import type { AppProcess } from './app-process.js';

/** What Node reads of a connection at once. */
const READ_BYTES = 64_000;
const SENT_WITHIN_MS = 20_000;

/** An environment in which a process ends that keeps more than so many megabytes. */
export const withHeapOf = (megabytes: number): { readonly NODE_OPTIONS: string } => ({
  NODE_OPTIONS: `--max-old-space-size=${megabytes}`,
});

/** Sends as many requests for a page as Node reads at once, on each of several connections, and reads nothing. */
export async function flood({ url }: AppProcess, path: string, connections: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const request = `GET ${path} HTTP/1.1\r\nHost: app\r\n\r\n`;
  const requests = request.repeat(Math.floor(READ_BYTES / request.length));
  const sent = Array.from({ length: connections }, async () => {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(requests);
    return socket;
  });
  return within('the connections', SENT_WITHIN_MS, Promise.all(sent));
}
