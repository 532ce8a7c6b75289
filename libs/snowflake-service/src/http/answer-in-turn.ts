import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from 'nestjs-snowflake/core';

/** Requests of one connection that may wait. HTTP libraries and proxies send the next request when they have the response. */
const MOST_WAITING = 16;

/** The requests of a connection. */
interface Line {
  last: ServerResponse | undefined;
  waiting: number;
}

/** The requests of each connection, which are processed one after the other. */
export class RequestLines {
  private readonly lines = new WeakMap<Socket, Line>();

  /** Calls `next` when the responses before this one have been sent, but never if the connection closes first. */
  join(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    // There, each request has its own stream.
    if (request.httpVersionMajor > 1) return next();
    const { socket } = request;
    const line = this.lines.get(socket) ?? { last: undefined, waiting: 0 };
    this.lines.set(socket, line);
    const { last: before } = line;
    line.last = response;
    if (!before || before.writableFinished) return next();
    line.waiting += 1;
    if (line.waiting === MOST_WAITING + 1) closeIfTooLong(line, socket);
    before.once('close', () => {
      line.waiting -= 1;
      if (!socket.destroyed) next();
    });
  }
}

/** Looks when the requests have been processed that Node has read at once and that wait for nothing. */
function closeIfTooLong(line: Line, socket: Socket): void {
  systemClock.schedule(0, () => {
    if (line.waiting > MOST_WAITING) socket.destroy();
  });
}

/**
 * Returns middleware for `app.use()`, on Express and on Fastify, that processes the requests of each connection one after the other.
 * Without it, a client that sends many requests at once and reads nothing makes the app keep all their responses in memory.
 *
 * It closes a connection on which more than 16 requests wait. Over HTTP/2, requests don't wait.
 *
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule);
 * app.use(answerInTurn());
 * ```
 */
export function answerInTurn(): (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
) => void {
  const lines = new RequestLines();
  return (request, response, next) => lines.join(request, response, next);
}
