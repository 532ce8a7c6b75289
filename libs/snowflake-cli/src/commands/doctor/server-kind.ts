import { connect } from 'node:net';

/** The kind of server at an address, detected without credentials. */
export type ServerKind = 'Redis' | 'PostgreSQL' | 'MySQL or MariaDB' | 'an HTTP server';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** Returns the address in the URL of a server. */
export function addressInUrl(url: string, usualPort: number): ServerAddress {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usualPort) };
}

/** `SSLRequest` of the PostgreSQL protocol: only PostgreSQL answers it with `S` or `N`. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const PING = Buffer.from('PING\r\n');
/** How long a server may take to send its greeting or its answer. */
const MAX_ANSWER_MS = 1000;

/** Detects which kind of server listens at an address. Resolves to `undefined` if it is none of the known kinds. */
export async function serverKindAt(
  address: ServerAddress,
  timeoutMs: number,
): Promise<ServerKind | undefined> {
  const withinMs = Math.min(timeoutMs, MAX_ANSWER_MS);
  const [greeting, ping, ssl] = await Promise.all([
    firstBytes(address, withinMs),
    firstBytes(address, withinMs, PING),
    firstBytes(address, withinMs, SSL_REQUEST),
  ]);
  if (greeting !== undefined && isMysqlGreeting(greeting)) return 'MySQL or MariaDB';
  const pong = ping?.toString('latin1') ?? '';
  if (/^[+-]/.test(pong)) return 'Redis';
  if (/^HTTP\/\d/.test(pong)) return 'an HTTP server';
  return ssl !== undefined && /^[SN]$/.test(ssl.toString('latin1')) ? 'PostgreSQL' : undefined;
}

/** Protocol version 10, or an error packet such as "Host is blocked", which begins with 255. */
function isMysqlGreeting(bytes: Buffer): boolean {
  return bytes.length > 5 && bytes[3] === 0 && (bytes[4] === 10 || bytes[4] === 255);
}

function firstBytes(
  address: ServerAddress,
  timeoutMs: number,
  request?: Uint8Array,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: timeoutMs });
    const finish = (bytes?: Buffer): void => {
      socket.destroy();
      resolve(bytes);
    };
    socket.once('connect', () => request && socket.write(request));
    socket.once('data', finish);
    for (const end of ['timeout', 'error', 'end'] as const) socket.once(end, () => finish());
  });
}
