import { connect } from 'node:net';

/** A server as it shows itself to a stranger. */
export type ServerKind = 'Redis' | 'PostgreSQL' | 'MySQL or MariaDB' | 'an HTTP server';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** `SSLRequest` of the PostgreSQL protocol: only PostgreSQL answers it with `S` or `N`. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const PING = Buffer.from('PING\r\n');
/** How long a server that speaks first, or that answers, may take. */
const LONGEST_ANSWER_MS = 1000;

/** Finds out which kind of server listens there, without a password. Resolves to `undefined` if none is known. */
export async function serverKindAt(
  address: ServerAddress,
  timeoutMs: number,
): Promise<ServerKind | undefined> {
  const withinMs = Math.min(timeoutMs, LONGEST_ANSWER_MS);
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
  question?: Uint8Array,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: timeoutMs });
    const finish = (bytes?: Buffer): void => {
      socket.destroy();
      resolve(bytes);
    };
    socket.once('connect', () => question && socket.write(question));
    socket.once('data', finish);
    for (const end of ['timeout', 'error', 'end'] as const) socket.once(end, () => finish());
  });
}
