import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Overtaken } from '../key-value/key-value-port.js';
import type { ServerTlsOptions } from '../tls/server-tls.js';

/** The connection that all steps of an attempt keep to. The first step chooses it. */
export interface Pin {
  socket?: Socket;
}

/** One request. */
export interface HttpCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Without one, any connection will do. */
  readonly pin?: Pin;
}

/** One response, read to its end. */
export interface HttpReply {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: string;
}

/**
 * Three lines to each server that stay open: one for what an attempt reads and writes, and two for what else it asks. `fetch` can't
 * present a client certificate, and shows no connection.
 */
export class HttpLines {
  private readonly agents: { readonly main: HttpAgent; readonly side: HttpAgent };
  private hasEnded = false;

  constructor(
    private readonly isSecure: boolean,
    tls: ServerTlsOptions | undefined,
  ) {
    const make = (maxSockets: number): HttpAgent =>
      isSecure
        ? new HttpsAgent({ ...tls, keepAlive: true, maxSockets })
        : new HttpAgent({ keepAlive: true, maxSockets });
    // There is one connection, so that a step that follows another finds the connection of that one, although it may not be free yet.
    this.agents = { main: make(1), side: make(2) };
  }

  /**
   * Sends a request once.
   *
   * @throws Overtaken before anything is sent, if the connection of the pin has gone, or all have ended
   */
  async send({ url, headers, body, signal, pin }: HttpCall): Promise<HttpReply> {
    const agent = pin ? this.agents.main : this.agents.side;
    const request = (this.isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent,
      headers,
      signal,
    });
    const response = await responseTo(request, body, (socket) => this.maySend(socket, pin));
    return { status: response.statusCode ?? 0, date: response.headers.date, body: await text(response) };
  }

  /** Ends all connections, and the calls on them. A request that waits for one of them gets a new one, and does not use it. */
  end(): void {
    this.hasEnded = true;
    this.agents.main.destroy();
    this.agents.side.destroy();
  }

  private maySend(socket: Socket, pin: Pin | undefined): boolean {
    if (this.hasEnded) return false;
    if (!pin) return true;
    pin.socket ??= socket;
    return pin.socket === socket;
  }
}

function responseTo(
  request: ClientRequest,
  body: string,
  maySend: (socket: Socket) => boolean,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('socket', (socket) => {
      // The event `socket` comes before the request is sent.
      if (!maySend(socket)) request.destroy(new Overtaken());
    });
    request.end(body);
  });
}
