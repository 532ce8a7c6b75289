import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitFor, within } from '../../../../test/support/wait.js';

const TIMEOUT_MS = 60_000;

/** A client that sends raw bytes, so that it can misbehave. */
export class RawClient {
  private received = '';
  private hasEnded = false;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.hasEnded = true));
  }

  static async connect(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await within('the connection', TIMEOUT_MS, once(socket, 'connect'));
    return new RawClient(socket);
  }

  /** Returns everything it has read so far. */
  get text(): string {
    return this.received;
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  /** Stops reading, so that the server can't deliver its response. */
  stopReading(): void {
    this.socket.pause();
  }

  readOn(): void {
    this.socket.resume();
  }

  async untilReceived(text: string, times = 1): Promise<void> {
    await waitFor(
      () => `${times} times "${text}" in: ${this.received.slice(0, 500)}`,
      TIMEOUT_MS,
      () => this.received.split(text).length > times,
    );
  }

  /** Waits until the server has closed the connection. */
  async untilEnd(): Promise<void> {
    await waitFor('the end of the connection', TIMEOUT_MS, () => this.hasEnded);
  }

  destroy(): void {
    this.socket.destroy();
  }
}
