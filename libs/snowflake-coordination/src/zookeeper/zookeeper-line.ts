import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { systemClock } from 'nestjs-snowflake/core';
import type { ServerTlsOptions } from '../tls/server-tls.js';
import { Frames, JuteReader, JuteWriter } from './jute.js';
import { authenticate, CLOSE, connectMessage, type ZooReply, type ZooRequest } from './messages.js';
import type { ZookeeperAddress, ZookeeperUser } from './zookeeper-options.js';

/** The session holds nothing. If it ends between two calls, the server ends the connection, and the next call makes another one. */
const SESSION_MS = 60_000;
/** More than one reading of 1,024 rows needs, and less than the first bytes of an answer of HTTP. */
const LONGEST_MESSAGE = 64 * 2 ** 20;
const CLOSE_WITHIN_MS = 500;
/** The number of a request for authentication. Others count from 1. */
const AUTHENTICATION = -4;
/** The last number of a request. Then they begin again, because the protocol has no larger ones. */
const LAST_NUMBER = 2 ** 31 - 1;

/** What answers is not a ZooKeeper that serves. */
export class NotZookeeper extends Error {}

/** How to reach one server. */
export interface LineSettings {
  readonly address: ZookeeperAddress;
  readonly tls: ServerTlsOptions | undefined;
  readonly user: ZookeeperUser | undefined;
}

interface Pending {
  readonly number: number;
  resolve(reply: ZooReply): void;
  reject(error: Error): void;
}

/**
 * One connection to one server, for requests and replies in order. It never connects again: what is sent on it reaches the server that it
 * was opened to, or nobody. A server that loses its leader ends all its connections.
 */
export class ZookeeperLine {
  readonly #settings: LineSettings;
  readonly #socket: Socket;
  private readonly frames = new Frames(LONGEST_MESSAGE);
  private readonly pending: Pending[] = [];
  private failure: Error | undefined;
  private sent: number;
  /** Settles when the session has begun. */
  readonly ready: Promise<void>;
  private begin: { resolve(): void; reject(error: Error): void } | undefined;

  /** @param sent the number of the last request: tests begin close to the end */
  constructor(settings: LineSettings, sent = 0) {
    this.#settings = settings;
    this.sent = sent;
    this.#socket = openSocket(settings);
    this.ready = new Promise((resolve, reject) => (this.begin = { resolve, reject }));
    this.ready.catch(() => undefined);
    this.#socket.on('data', (bytes: Buffer) => this.receive(bytes));
    this.#socket.on('error', (error) => this.end(error));
    this.#socket.on('close', () => this.end(new Error('the server ended the connection')));
    this.#socket.write(connectMessage(SESSION_MS));
  }

  /** Whether the next request can be sent on it. */
  get isOpen(): boolean {
    return this.failure === undefined;
  }

  /** Sends requests in one piece, and resolves to their replies. */
  exchange(requests: readonly ZooRequest[]): Promise<ZooReply[]> {
    const replies = requests.map((request) => this.send(request, this.nextNumber()));
    return Promise.all(replies);
  }

  /**
   * Asks the same server for its mode with `srvr`, the only one of its commands that is enabled by default. What answers while this
   * connection is open is the process that it leads to.
   *
   * @returns e.g. `leader`, `follower` or `standalone`; `undefined` if the server doesn't report it
   */
  mode(): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const socket = openSocket(this.#settings, this.#socket.remoteAddress);
      let said = '';
      this.#socket.once('close', () => socket.destroy());
      socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')));
      socket.on('error', reject);
      socket.on('close', () => {
        // A server doesn't serve just after it has started, or when it has lost the others.
        const isServing = said !== '' && !said.includes('not currently serving');
        if (this.isOpen && !isServing) reject(new Error('a server is not serving'));
        else resolve(/^Mode: (\S+)$/m.exec(said)?.[1]);
      });
      socket.write('srvr');
    });
  }

  /** Ends the connection, and all requests on it. Nothing that was not sent yet is sent later. */
  end(reason: Error): void {
    this.failure ??= reason;
    this.begin?.reject(this.failure);
    for (const { reject } of this.pending.splice(0)) reject(this.failure);
    this.#socket.destroy();
  }

  /** Ends the session, too. */
  close(): void {
    if (!this.isOpen) return;
    void this.send(CLOSE, this.nextNumber()).catch(() => undefined);
    systemClock.schedule(CLOSE_WITHIN_MS, () => this.end(new Error('the store was closed')));
  }

  private nextNumber(): number {
    this.sent = this.sent === LAST_NUMBER ? 1 : this.sent + 1;
    return this.sent;
  }

  private send({ op, body }: ZooRequest, number: number): Promise<ZooReply> {
    if (this.failure) return Promise.reject(this.failure);
    this.#socket.write(new JuteWriter().int(number).int(op).add(body).frame());
    this.#socket.ref();
    return new Promise((resolve, reject) => this.pending.push({ number, resolve, reject }));
  }

  private receive(bytes: Buffer): void {
    try {
      for (const message of this.frames.add(bytes)) {
        if (this.begin) this.readSession(new JuteReader(message));
        else this.readReply(new JuteReader(message));
      }
    } catch (error) {
      this.end(error instanceof RangeError ? new NotZookeeper(error.message) : (error as Error));
    }
  }

  private readSession(message: JuteReader): void {
    message.int();
    if (message.int() <= 0) throw new Error('the server began no session');
    const { user } = this.#settings;
    if (user) {
      this.send(authenticate(user.name, user.password), AUTHENTICATION).catch(() => undefined);
    }
    this.begin?.resolve();
    this.begin = undefined;
  }

  private readReply(message: JuteReader): void {
    const number = message.int();
    message.long();
    const error = message.int();
    const next = this.pending.shift();
    if (next?.number !== number) throw new NotZookeeper('a reply has no request');
    // An idle connection does not keep the process alive.
    if (this.pending.length === 0) this.#socket.unref();
    next.resolve({ error, body: message });
  }
}

/** @param host where the server is, if that is known already */
function openSocket({ address, tls }: LineSettings, host = address.host): Socket {
  const place = { host, port: address.port, noDelay: true };
  if (!tls) return connect(place);
  return connectSecurely({ ...(isIP(address.host) === 0 && { servername: address.host }), ...tls, ...place });
}
