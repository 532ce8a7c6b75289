import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** The connections of an HTTP server, and the answers that it owes. */
export class OpenConnections {
  private readonly sockets = new Set<Socket>();
  /** In order of their requests. */
  private readonly answers = new Map<ServerResponse, Socket>();
  private isClosing = false;
  private whenAnswered: () => void = () => undefined;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // Before the app, which may send the headers at once.
    server.prependListener('request', (request, answer) => this.owe(request, answer));
  }

  /** How many connections have sent something and are still open. */
  get count(): number {
    return [...this.sockets].filter((socket) => !isSilent(socket)).length;
  }

  /**
   * Accepts no connection from now on, and lets each one end with its next answer.
   *
   * `http.Server.close()` would also close connections whose answer is complete here but not yet delivered: the reader
   * would get a part of it. The `close()` of the class below only stops listening.
   */
  stopAccepting(): void {
    this.isClosing = true;
    NetServer.prototype.close.call(this.server);
    // Only the last one of a connection may announce its end.
    const last = new Map([...this.answers].map(([answer, socket]) => [socket, answer]));
    for (const answer of last.values()) announceEnd(answer);
  }

  /** Resolves when every request is answered and the answer is delivered. */
  answered(): Promise<void> {
    if (this.answers.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.whenAnswered = resolve;
    });
  }

  /** Cuts connections on which nothing was ever sent. */
  cutSilent(): void {
    for (const socket of this.sockets) if (isSilent(socket)) socket.destroy();
  }

  /** Cuts all, upgraded ones too, which `closeAllConnections()` of Node leaves open. */
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
