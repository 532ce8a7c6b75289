import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A link to a server on 127.0.0.1 that can be cut and healed later. Healing delivers what was in flight, but not that a
 * sender has closed meanwhile: in a real network, that can take another round trip.
 */
export class LateLink {
  private readonly sockets = new Set<Socket>();
  private held: (() => void)[] | undefined;
  private wasCut = false;
  /** Chunks received from clients. */
  received = 0;

  private constructor(
    readonly port: number,
    private readonly closeServer: () => Promise<void>,
  ) {}

  static async start(targetPort: number): Promise<LateLink> {
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
      client.on('data', () => (link.received += 1));
      link.pass(client, target);
      link.pass(target, client);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    const link = new LateLink(port, () => new Promise((resolve) => server.close(() => resolve())));
    return link;
  }

  cut(): void {
    this.held ??= [];
    this.wasCut = true;
  }

  /** What was under way arrives, in order. */
  heal(): void {
    for (const deliver of this.held ?? []) deliver();
    this.held = undefined;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.closeServer();
  }

  private pass(source: Socket, sink: Socket): void {
    this.sockets.add(source);
    source.on('error', () => undefined);
    source.on('data', (chunk: Buffer) => {
      const deliver = (): void => void (sink.writable && sink.write(chunk));
      if (this.held) this.held.push(deliver);
      else deliver();
    });
    // If the sender closes before the cut, its peer sees that and can connect again.
    source.once('close', () => this.wasCut || sink.destroy());
    source.once('end', () => this.wasCut || sink.end());
  }
}
