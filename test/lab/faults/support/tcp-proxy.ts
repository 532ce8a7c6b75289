import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A network of one's own in front of a server on 127.0.0.1. Like a real one, it may be slow or silent, but it loses
 * nothing of what it has taken: when it works again, everything that is under way arrives, in order, even after its
 * sender has gone.
 */
export class TcpProxy {
  private gate: Promise<void> = Promise.resolve();
  private openGate: (() => void) | undefined;
  private dripEveryMs = 0;
  private replyDelayMs = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new TcpProxy(server, (server.address() as AddressInfo).port, targetPort);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A black hole: connections come about and stay, and nothing comes through. */
  swallow(): void {
    this.gate = new Promise((resolve) => (this.openGate = resolve));
  }

  /** One byte at a time, in both directions. */
  drip(everyMs: number): void {
    this.dripEveryMs = everyMs;
  }

  /** Replies arrive late. */
  delayReplies(ms: number): void {
    this.replyDelayMs = ms;
  }

  /** Works again: what is under way arrives. */
  heal(): void {
    this.dripEveryMs = 0;
    this.replyDelayMs = 0;
    this.openGate?.();
  }

  async close(): Promise<void> {
    this.heal();
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const target = connect(this.targetPort, '127.0.0.1');
    this.pass(client, target, () => 0);
    this.pass(target, client, () => this.replyDelayMs);
  }

  /** Forwards the data of `source` in order, and then its end. */
  private pass(source: Socket, sink: Socket, delayMs: () => number): void {
    this.sockets.add(source);
    let underway = Promise.resolve();
    source.on('data', (chunk: Buffer) => {
      underway = underway.then(async () => {
        await this.gate;
        if (delayMs() > 0) await delay(delayMs());
        await this.write(sink, chunk);
      });
    });
    source.on('error', () => undefined);
    source.on('close', () => {
      this.sockets.delete(source);
      underway = underway.then(() => this.gate).then(() => void sink.end());
    });
  }

  private async write(sink: Socket, chunk: Buffer): Promise<void> {
    for (let index = 0; index < chunk.length; index++) {
      if (this.dripEveryMs === 0) {
        sink.write(chunk.subarray(index));
        return;
      }
      sink.write(chunk.subarray(index, index + 1));
      await delay(this.dripEveryMs);
    }
  }
}
