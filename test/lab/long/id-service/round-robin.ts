import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A load balancer for TCP that knows nothing of HTTP: each connection goes to the next target that accepts it. */
export class RoundRobin {
  private next = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private targets: readonly string[],
  ) {}

  static async start(...targets: readonly string[]): Promise<RoundRobin> {
    const server = createServer();
    const balancer = new RoundRobin(server, targets);
    server.on('connection', (client) => balancer.forward(client, balancer.targets.length));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends new connections to these targets from now on. */
  to(...targets: readonly string[]): void {
    this.targets = targets;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await once(this.server, 'close');
  }

  private forward(client: Socket, attempts: number): void {
    this.keep(client);
    const target = this.targets[this.next++ % this.targets.length];
    if (target === undefined || attempts === 0) return void client.destroy();
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    const refused = (): void => this.forward(client, attempts - 1);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      this.keep(upstream);
      upstream.off('error', refused);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.pipe(to);
        from.once('close', () => to.destroy());
      }
    });
  }

  private keep(socket: Socket): void {
    if (this.sockets.has(socket)) return;
    this.sockets.add(socket);
    // What ended is an end like any other here.
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
