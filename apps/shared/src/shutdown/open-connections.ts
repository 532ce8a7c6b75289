import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Tracks the connections of an HTTP server and their unanswered requests. */
export class OpenConnections {
  /** The unfinished responses of each connection, in the order of their requests. */
  private readonly sockets = new Map<Socket, Set<ServerResponse>>();
  private isClosing = false;
  private whenAnswered: (() => void) | undefined;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.sockets.set(socket, new Set());
      // Responses behind the first one get no event when their connection ends.
      socket.once('close', () => {
        this.sockets.delete(socket);
        this.announceAnswered();
      });
    });
    // Runs before the app's listener, which can send the headers immediately.
    server.prependListener('request', (request, answer) => this.owe(request, answer));
  }

  /** Number of open connections that have sent data. */
  get count(): number {
    return [...this.sockets.keys()].filter((socket) => !isSilent(socket)).length;
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
    for (const answers of this.sockets.values()) {
      const last = [...answers].at(-1);
      if (last) announceEnd(last);
    }
  }

  /** Resolves when every response is delivered. */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.whenAnswered = resolve;
      this.announceAnswered();
    });
  }

  /** Closes the connections that never sent data. */
  cutSilent(): void {
    for (const socket of this.sockets.keys()) if (isSilent(socket)) socket.destroy();
  }

  /** Closes all connections, including upgraded ones, which Node's `closeAllConnections()` leaves open. */
  cutAll(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  private owe({ socket }: IncomingMessage, answer: ServerResponse): void {
    const answers = this.sockets.get(socket);
    if (!answers || socket.destroyed) return;
    answers.add(answer);
    if (this.isClosing) announceEnd(answer);
    answer.once('close', () => {
      answers.delete(answer);
      this.announceAnswered();
    });
  }

  private announceAnswered(): void {
    if (this.whenAnswered && [...this.sockets.values()].every(({ size }) => size === 0)) this.whenAnswered();
  }
}

function isSilent(socket: Socket): boolean {
  return socket.bytesRead === 0;
}

function announceEnd(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('Connection', 'close');
}
