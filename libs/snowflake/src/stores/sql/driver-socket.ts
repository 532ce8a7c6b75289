interface Socket {
  destroy(): void;
}

/** Cuts a driver's connection at once. SQLite has nothing to cut. */
export function destroySocketOf(connection: unknown): void {
  socketOf(connection)?.destroy();
}

/** pg keeps the socket in a `connection` of its client, mysql2 in the connection itself. */
function socketOf(connection: unknown): Socket | undefined {
  const inner = property(connection, 'connection') ?? connection;
  const stream = property(inner, 'stream');
  return isSocket(stream) ? stream : undefined;
}

function property(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}

function isSocket(value: unknown): value is Socket {
  return typeof property(value, 'destroy') === 'function';
}
