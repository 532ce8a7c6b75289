import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** An address that leads to one server and later to another, as DNS or a load balancer does. */
export class Router {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private target: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(targetPort: number): Promise<Router> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new Router(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Leads new connections elsewhere, and breaks those that there are. */
  leadTo(port: number): void {
    this.target = port;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    const both = [client, server];
    for (const socket of both) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    client.pipe(server).pipe(client);
  }
}
