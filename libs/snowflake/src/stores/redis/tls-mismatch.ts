import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Cluster, Redis } from 'ioredis';
import { systemClock } from '../../core/clock/system-clock.js';

const WITHIN_MS = 1000;

/**
 * Finds out whether only one of client and server uses TLS. Neither side says so: a server with TLS resets the connection of a client
 * without it, and one without TLS waits for the end of a line that never comes.
 */
export class TlsMismatch {
  private found: string | undefined;
  private isAsking = false;

  /** What is wrong, and what to do; undefined as long as nothing is known to be wrong. */
  get problem(): string | undefined {
    return this.found;
  }

  /** Asks the server of a client that has never connected. Waits for nothing: the result is for the next call. */
  examine(client: Redis | Cluster): void {
    if (client.isCluster || this.isAsking || this.found !== undefined) return;
    const { host, port, path, sentinels, tls } = (client as Redis).options;
    if (host === undefined || port === undefined || path || sentinels) return;
    this.isAsking = true;
    void (tls ? speaksPlainRedis(host, port) : speaksTls(host, port)).then((isOther) => {
      this.isAsking = false;
      if (isOther) this.found = tls ? NO_TLS : ONLY_TLS;
    });
  }

  forget(): void {
    this.found = undefined;
  }
}

const ONLY_TLS =
  'this port of the server uses TLS, and the client does not. Use rediss:// instead of redis://, or the option tls.';
const NO_TLS =
  'the client uses TLS, and this port of the server does not. Use redis:// instead of rediss://, or the TLS port of the server.';

/** Completes a handshake, and sends nothing. */
function speaksTls(host: string, port: number): Promise<boolean> {
  const servername = isIP(host) === 0 ? host : undefined;
  // Whether the certificate can be trusted is a question of the connection that follows.
  const socket = connectSecurely({ host, port, servername, rejectUnauthorized: false });
  return outcomeOf(socket, 'secureConnect', () => true);
}

function speaksPlainRedis(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  socket.write('PING\r\n');
  return outcomeOf(socket, 'data', (reply) => /^[+-]/.test(String(reply)));
}

function outcomeOf(socket: Socket, event: string, judge: (value: unknown) => boolean): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const end = (isOther: boolean): void => {
      alarm.cancel();
      socket.destroy();
      resolve(isOther);
    };
    const alarm = systemClock.schedule(WITHIN_MS, () => end(false));
    socket.once(event, (value: unknown) => end(judge(value)));
    socket.on('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
