import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { EventSink } from '../watch/event-sink.js';
import { BodyRefusal, type ConsoleAnswer } from './messages.js';

/** How many events in a row a slow listener may miss: about half a minute of them. */
const MAX_SKIPPED_EVENTS = 15;

/** Writes an answer directly to Node's response, so that no framework changes it. */
export function writeAnswer(answer: ConsoleAnswer, request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body, listen } = answer;
  const isHead = request.method === 'HEAD';
  response.statusCode = status;
  withdrawCors(response);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!listen || isHead) {
    if (!listen) response.setHeader('content-length', Buffer.byteLength(body));
    response.end(isHead ? undefined : body);
    return;
  }
  // A connection that is kept alive would delay the shutdown. HTTP/2 has no such header.
  if (request.httpVersionMajor < 2) response.setHeader('connection', 'close');
  response.write(body);
  // A response that is queued behind others of its connection gets no event when the connection ends. Browsers don't pipeline.
  if (request.httpVersionMajor < 2 && response.socket === null) return void response.end();
  const connection = connectionOf(response);
  const stop = listen(sinkOf(response, connection));
  connection.once('close', stop);
  connection.once('error', stop);
  if (connection.destroyed) stop();
}

/** Removes the CORS headers of the app, because no other origin may read the answers of the console. */
function withdrawCors(response: ServerResponse): void {
  const names = response.getHeaderNames().filter((name) => name.startsWith('access-control-'));
  for (const name of names) response.removeHeader(name);
}

/** Returns the stream whose state shows that the client is slow or gone. With HTTP/2, that isn't the response itself. */
function connectionOf(response: ServerResponse): Writable {
  return (response as ServerResponse & { readonly stream?: Writable }).stream ?? response;
}

/** Reads a body that no parser has read. @throws BodyRefusal */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new BodyRefusal(400);
  }
}

/** Reads by events. An iterator would close the connection of a body that is too large before the client gets the reason. */
function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(new BodyRefusal(413));
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', () => reject(new BodyRefusal(400)));
    request.on('close', () => reject(new BodyRefusal(400)));
  });
}

/** Refuses a body whose `Content-Length` is too large. @throws BodyRefusal */
export function requireSmallBody(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new BodyRefusal(413);
}

/** Buffers at most one event for a client that doesn't read, and closes its connection after a while. */
function sinkOf(response: ServerResponse, connection: Writable): EventSink {
  let skipped = 0;
  return {
    send(text) {
      if (response.writableEnded || connection.destroyed) return false;
      skipped = connection.writableNeedDrain ? skipped + 1 : 0;
      if (skipped > MAX_SKIPPED_EVENTS) connection.destroy();
      else if (skipped === 0) response.write(text);
      return skipped === 0;
    },
    end() {
      if (!response.writableEnded) response.end();
    },
  };
}
