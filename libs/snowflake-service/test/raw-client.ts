import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { TOKEN } from './service-app.js';

/** One response, as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export const AUTHORIZED = `Host: service\r\nAuthorization: Bearer ${TOKEN}\r\n`;

/** A connection on which a test sends what no HTTP client would. */
export class RawClient {
  private received = '';
  private hasEnded = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (this.received += chunk));
    socket.on('close', () => (this.hasEnded = true));
    // What the service closes while it is written to.
    socket.on('error', () => undefined);
  }

  static async to(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Resolves to the next responses, in order. */
  async next(count: number): Promise<RawResponse[]> {
    const responses: RawResponse[] = [];
    while (responses.length < count) {
      const response = this.take();
      if (response) responses.push(response);
      else if (this.hasEnded) throw new Error(`The connection ended after ${responses.length} responses`);
      else await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    return responses;
  }

  /** Resolves to everything that was received when the service has closed the connection. */
  async rest(): Promise<string> {
    if (!this.hasEnded) await once(this.socket, 'close');
    return this.received;
  }

  close(): void {
    this.socket.destroy();
  }

  private take(): RawResponse | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = this.received.slice(0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    const from = end + 4;
    if (this.received.length < from + length) return undefined;
    const body = this.received.slice(from, from + length);
    this.received = this.received.slice(from + length);
    return { status: Number(head.slice(9, 12)), head, body };
  }
}

/** Sends one request on a connection of its own, and resolves to everything that came back until it was closed. */
export async function exchange(url: string, text: string): Promise<string> {
  const client = await RawClient.to(url);
  try {
    client.send(text);
    return await client.rest();
  } finally {
    client.close();
  }
}
