interface Socket {
  destroy(): void;
}

interface Emitter {
  on(event: 'error', listener: () => void): unknown;
}

/** Cuts a driver's connection at once. SQLite has nothing to cut. */
export function destroySocketOf(connection: unknown): void {
  socketOf(connection)?.destroy();
}

/**
 * Keeps an error of a driver's connection from ending the process while nobody listens. The statement that is under way
 * fails anyway, and so does the next one. Some releases of TypeORM execute one on a client of pg without listening.
 */
export function ignoreErrorsOf(connection: unknown): void {
  if (isEmitter(connection)) connection.on('error', () => undefined);
}

/** pg keeps the socket in a `connection` of its client, mysql2 in the connection itself, and so does mysql as `_socket`. */
function socketOf(connection: unknown): Socket | undefined {
  const inner = property(connection, 'connection') ?? connection;
  const socket = property(inner, 'stream') ?? property(inner, '_socket');
  return isSocket(socket) ? socket : undefined;
}

function property(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}

function isSocket(value: unknown): value is Socket {
  return typeof property(value, 'destroy') === 'function';
}

function isEmitter(value: unknown): value is Emitter {
  return typeof property(value, 'on') === 'function';
}
