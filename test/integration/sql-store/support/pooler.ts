import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const COM_QUERY = 3;
const TLS_HANDSHAKE = 22;

/**
 * Stands in front of a database server as a pooler does: it greets its clients at once, and may keep their statements to
 * itself as long as the server is away.
 */
export class Pooler {
  private refusesTransactions = false;
  private holds: 'nothing' | 'statements' | 'TLS' | 'everything' = 'nothing';
  private readonly clients = new Set<Socket>();
  /** How many connections were made so far. */
  accepted = 0;
  /** How many pieces of data it has kept to itself. */
  held = 0;

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

  /** From now on no message of a TLS handshake comes through. */
  holdTls(): void {
    this.holds = 'TLS';
  }

  /** From now on nothing comes through, not even a greeting. */
  holdEverything(): void {
    this.holds = 'everything';
  }

  /** From now on it answers as PgBouncer 1.18 does with `pool_mode = statement`. */
  refuseTransactions(): void {
    this.refusesTransactions = true;
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
      if (this.refusesTransactions && chunk.includes('START TRANSACTION')) return client.end(NO_TRANSACTIONS);
      if (this.passes(chunk) && !(this.holds === 'statements' && isStatement(chunk))) target.write(chunk);
    });
    target.on('data', (chunk: Buffer) => {
      if (this.passes(chunk)) client.write(chunk);
    });
    for (const socket of [client, target]) socket.on('error', () => undefined);
    client.on('close', () => {
      this.clients.delete(client);
      target.destroy();
    });
    target.on('close', () => client.destroy());
  }

  private passes(chunk: Buffer): boolean {
    const passes = this.holds !== 'everything' && !(this.holds === 'TLS' && chunk[0] === TLS_HANDSHAKE);
    if (!passes) this.held += 1;
    return passes;
  }
}

/** An ErrorResponse of PostgreSQL's protocol. */
const NO_TRANSACTIONS = errorResponse({
  S: 'FATAL',
  C: '08P01',
  M: 'transaction blocks not allowed in statement pooling mode',
});

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(fields).map(([type, text]) => Buffer.from(`${type}${text}\0`));
  const body = Buffer.concat([...texts, Buffer.alloc(1)]);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** `Q` and `P` of PostgreSQL, and the first packet of a query of MySQL. */
function isStatement(chunk: Buffer): boolean {
  return chunk[0] === 0x51 || chunk[0] === 0x50 || (chunk[3] === 0 && chunk[4] === COM_QUERY);
}
