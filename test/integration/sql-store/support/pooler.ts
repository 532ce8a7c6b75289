import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const COM_QUERY = 3;

/**
 * Stands in front of a database server as a pooler does: it greets its clients at once, and may keep their statements to
 * itself as long as the server is away.
 */
export class Pooler {
  private holds: 'nothing' | 'statements' | 'everything' = 'nothing';
  private readonly clients = new Set<Socket>();
  /** How many connections were made so far. */
  accepted = 0;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(targetPort: number): Promise<Pooler> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new Pooler(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.clients.size;
  }

  /** From now on no statement comes through. */
  holdStatements(): void {
    this.holds = 'statements';
  }

  /** From now on nothing comes through, not even a greeting. */
  holdEverything(): void {
    this.holds = 'everything';
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    this.accepted += 1;
    this.clients.add(client);
    const target = connect(this.targetPort, '127.0.0.1');
    client.on('data', (chunk: Buffer) => {
      if (this.holds === 'nothing' || (this.holds === 'statements' && !isStatement(chunk)))
        target.write(chunk);
    });
    target.on('data', (chunk: Buffer) => {
      if (this.holds !== 'everything') client.write(chunk);
    });
    for (const socket of [client, target]) socket.on('error', () => undefined);
    client.on('close', () => {
      this.clients.delete(client);
      target.destroy();
    });
    target.on('close', () => client.destroy());
  }
}

/** `Q` and `P` of PostgreSQL, and the first packet of a query of MySQL. */
function isStatement(chunk: Buffer): boolean {
  return chunk[0] === 0x51 || chunk[0] === 0x50 || (chunk[3] === 0 && chunk[4] === COM_QUERY);
}
