import { connect, type NetConnectOpts, Socket } from 'node:net';

/** The new client that pg passes to the option `verify` of its pool. */
interface NewClient {
  on(event: 'error', listener: () => void): unknown;
}

interface Destroyable {
  destroy(): unknown;
}

/**
 * The sockets of one connection of the store. The drivers bound the wait for a connection, but none of their options
 * ends a statement, a TLS handshake or a goodbye message that a dead network drops. So the store makes the sockets itself,
 * with the option `stream` of both drivers, and ends them.
 *
 * Checked with pg 8.23.1 (pg-pool 3.14.0) and mysql2 3.24.5. pg takes a function since 8.9. `mysql` and `pg-native` have no
 * `stream`: their calls also end in time, but their connections only when the server or the network ends them.
 */
export class OwnSockets {
  private readonly sockets = new Set<Destroyable>();
  private hasEnded = false;

  /** Returns options of pg's pool. */
  forPg(options: object | undefined): object {
    const given = options as { stream?: unknown; verify?: unknown } | undefined;
    return {
      stream: this.factory(given?.stream, () => new Socket()),
      // TypeORM 0.3.20 and 0.3.21 use a client before they listen to it, and an unhandled error event ends the process.
      verify: (client: NewClient, done: () => void) => {
        client.on('error', () => undefined);
        if (typeof given?.verify === 'function') given.verify(client, done);
        else done();
      },
    };
  }

  /** Returns options of mysql2's pool. */
  forMysql2(options: object | undefined): object {
    const given = options as { stream?: unknown } | undefined;
    return {
      stream: this.factory(given?.stream, ({ config }: { config: MysqlAddress }) => connectTo(config)),
    };
  }

  /** Ends every socket immediately, and refuses to make new ones. */
  destroy(): void {
    this.hasEnded = true;
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  /** @param given the app's own `stream`, such as the connector of a cloud proxy */
  private factory<Options>(given: unknown, make: (options: Options) => Destroyable) {
    return (options: Options): unknown => {
      if (this.hasEnded) throw new Error('the connection was abandoned');
      const socket: unknown = typeof given === 'function' ? given(options) : (given ?? make(options));
      if (isDestroyable(socket)) this.sockets.add(socket);
      return socket;
    };
  }
}

interface MysqlAddress {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
  readonly enableKeepAlive?: boolean;
  readonly keepAliveInitialDelay?: number;
}

/** Connects in the same way as mysql2. */
function connectTo(config: MysqlAddress): Socket {
  const { host, port, socketPath, enableKeepAlive, keepAliveInitialDelay } = config;
  const address: NetConnectOpts = socketPath
    ? { path: socketPath }
    : { host, port: port ?? 3306, noDelay: true, keepAlive: enableKeepAlive, keepAliveInitialDelay };
  return connect(address);
}

function isDestroyable(socket: unknown): socket is Destroyable {
  return (
    typeof socket === 'object' &&
    socket !== null &&
    'destroy' in socket &&
    typeof socket.destroy === 'function'
  );
}
