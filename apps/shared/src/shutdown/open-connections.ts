import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Tracks the connections of an HTTP server and their unanswered requests. */
export class OpenConnections {
  private readonly sockets = new Set<Socket>();
  /** Unfinished responses, in the order of their requests. */
  private readonly answers = new Map<ServerResponse, Socket>();
  private isClosing = false;
  private whenAnswered: () => void = () => undefined;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // Runs before the app's listener, which can send the headers immediately.
    server.prependListener('request', (request, answer) => this.owe(request, answer));
  }

  /** Number of open connections that have sent data. */
  get count(): number {
    return [...this.sockets].filter((socket) => !isSilent(socket)).length;
  }

  /**
   * Stops accepting connections, and ends each open one after its next response.
   *
   * `http.Server.close()` would also close connections with a complete but undelivered response, and the client would
   * get only a part of it. The `close()` of its base class only stops listening.
   */
  stopAccepting(): void {
    this.isClosing = true;
    NetServer.prototype.close.call(this.server);
    // Only the last response of a connection may announce its end.
    const last = new Map([...this.answers].map(([answer, socket]) => [socket, answer]));
    for (const answer of last.values()) announceEnd(answer);
  }

  /** Resolves when every response is delivered. */
  answered(): Promise<void> {
    if (this.answers.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenAnswered = resolve;
    });
  }

  /** Closes the connections that never sent data. */
  cutSilent(): void {
    for (const socket of this.sockets) if (isSilent(socket)) socket.destroy();
  }

  /** Closes all connections, including upgraded ones, which Node's `closeAllConnections()` leaves open. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private owe(request: IncomingMessage, answer: ServerResponse): void {
    this.answers.set(answer, request.socket);
    if (this.isClosing) announceEnd(answer);
    answer.once('close', () => {
      this.answers.delete(answer);
      if (this.answers.size === 0) this.whenAnswered();
    });
  }
}

function isSilent(socket: Socket): boolean {
  return socket.bytesRead === 0;
}

function announceEnd(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
}
