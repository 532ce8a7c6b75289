import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What a relay does with the bytes of one direction: the default passes them on. `undefined` ends the connection instead. */
export interface RelayRules {
  readonly fromClient?: (bytes: Buffer) => Buffer | undefined;
  readonly fromServer?: (bytes: Buffer) => Buffer | undefined;
}

/** Something between a client and a ZooKeeper, as a test wants it. */
export class Relay {
  rules: RelayRules = {};
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(target: string): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Relay(server, Number(target.split(':')[1]));
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const target = connect(this.targetPort, '127.0.0.1');
    this.pass(client, target, (bytes) => (this.rules.fromClient ?? keep)(bytes));
    this.pass(target, client, (bytes) => (this.rules.fromServer ?? keep)(bytes));
  }

  private pass(source: Socket, sink: Socket, alter: (bytes: Buffer) => Buffer | undefined): void {
    this.sockets.add(source);
    source.on('data', (bytes: Buffer) => {
      const altered = alter(bytes);
      if (altered) sink.write(altered);
      else sink.destroy();
    });
    source.on('error', () => undefined);
    source.on('close', () => {
      this.sockets.delete(source);
      sink.destroy();
    });
  }
}

function keep(bytes: Buffer): Buffer {
  return bytes;
}
