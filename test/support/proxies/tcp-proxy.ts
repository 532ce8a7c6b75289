import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Returns what goes on to the other side: these bytes, others or none. `undefined` ends the connection. */
type Rule = (bytes: Buffer, client: Socket) => Buffer | undefined;

/** Without a rule, bytes go on as they are. */
export interface ProxyRules {
  readonly fromClient?: Rule;
  readonly fromServer?: Rule;
}

interface ProxyClass<Proxy> {
  new (server: Server, targetPort: number): Proxy;
  readonly allowHalfOpen: boolean;
}

/** A proxy on a free port of 127.0.0.1, in front of a server on the same machine. */
export class TcpProxy {
  /** Whether one side of a connection can go on to send after the other one has ended. */
  static readonly allowHalfOpen: boolean = false;

  rules: ProxyRules = {};
  /** How many connections were made so far. */
  accepted = 0;
  private readonly clients = new Set<Socket>();
  private readonly upstreams = new Set<Socket>();

  constructor(
    private readonly server: Server,
    private targetPort: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start<Proxy>(this: ProxyClass<Proxy>, targetPort: number): Promise<Proxy> {
    const { allowHalfOpen } = this;
    const server = createServer({ allowHalfOpen });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new this(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `host:port` */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get openConnections(): number {
    return this.clients.size;
  }

  /** Leads new connections elsewhere, and breaks those that there are. */
  leadTo(targetPort: number): void {
    this.targetPort = targetPort;
    this.breakConnections();
  }

  breakConnections(): void {
    for (const socket of [...this.clients, ...this.upstreams]) socket.destroy();
  }

  async close(): Promise<void> {
    this.breakConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Forwards what one side sends, and its end. */
  protected forward(source: Socket, sink: Socket, isReply: boolean): void {
    source.on('data', (bytes: Buffer) => {
      const rule = isReply ? this.rules.fromServer : this.rules.fromClient;
      const forwarded = rule ? rule(bytes, isReply ? sink : source) : bytes;
      if (forwarded) sink.write(forwarded);
      else sink.destroy();
    });
    source.on('close', () => sink.destroy());
  }

  private join(client: Socket): void {
    this.accepted += 1;
    const { allowHalfOpen } = this.constructor as typeof TcpProxy;
    const upstream = connect({ port: this.targetPort, host: '127.0.0.1', allowHalfOpen });
    this.keep(client, this.clients);
    this.keep(upstream, this.upstreams);
    this.forward(client, upstream, false);
    this.forward(upstream, client, true);
  }

  private keep(socket: Socket, group: Set<Socket>): void {
    group.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => group.delete(socket));
  }
}
