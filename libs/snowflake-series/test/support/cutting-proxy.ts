import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Not the isolation level READ COMMITTED. */
const COMMIT = /COMMIT(?!TED)/;

/** A network in front of a server on 127.0.0.1 that breaks while a COMMIT is answered. */
export class CuttingProxy {
  private isArmed = false;
  private readonly sockets = new Set<Socket>();
  /** How many answers to a COMMIT never arrived. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(target: number): Promise<CuttingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new CuttingProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The next COMMIT reaches the server, and its answer nobody. */
  cutNextCommit(): void {
    this.isArmed = true;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  private join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    let isCut = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        end();
      });
    }
    client.on('data', (chunk: Buffer) => {
      if (this.isArmed && COMMIT.test(chunk.toString('latin1'))) {
        this.isArmed = false;
        isCut = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!isCut) return void client.write(chunk);
      // The server has committed, because it answers.
      this.cuts += 1;
      end();
    });
  }
}
