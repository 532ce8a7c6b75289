import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from 'nestjs-snowflake/core';
import { refusal } from '../http/answers.js';
import { Console } from '../http/console.js';
import type { ConsoleRequest } from '../http/messages.js';
import { readJson, requireSmallBody, writeAnswer } from '../http/node-http.js';
import { type Namespace, namespaceSubject } from './namespace-subject.js';

/** Options of {@link startConsoleServer}. */
export interface ConsoleServerOptions {
  readonly namespace: Namespace;
  /**
   * The port on 127.0.0.1.
   *
   * @defaultValue a free port
   */
  readonly port?: number;
}

/** A console that serves one namespace on this machine. */
export interface ConsoleServer {
  /** Address of the page. */
  readonly url: string;
  /** Ends every connection. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_LISTENERS = 20;
const HTTP_PORT = 80;

/**
 * Serves the console of a namespace on 127.0.0.1, for users of this host. It is read-only and generates no IDs.
 *
 * @throws the error of the operating system if the port is in use
 */
export async function startConsoleServer({
  namespace,
  port = 0,
}: ConsoleServerOptions): Promise<ConsoleServer> {
  const console = new Console({
    subject: namespaceSubject(namespace, systemClock),
    maxListeners: MAX_LISTENERS,
    clock: systemClock,
    // The page itself shows that something failed.
    report: () => undefined,
  });
  const server = createServer((request, response) => void answer(console, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise((resolve) => {
        console.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(console: Console, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!hasLocalHost(request)) {
    const message = 'Open the console at 127.0.0.1 or localhost.';
    return writeAnswer(refusal(421, 'CONSOLE_OTHER_HOST', message), request, response);
  }
  writeAnswer(await console.answer(consoleRequest(request)), request, response);
}

/** Prevents DNS rebinding: a website that resolves its own name to 127.0.0.1 sends another `Host`. */
function hasLocalHost({ headers, socket }: IncomingMessage): boolean {
  const names = [HOST, 'localhost'].map((name) => `${name}:${socket.localPort}`);
  // Browsers leave out the default port.
  if (socket.localPort === HTTP_PORT) names.push(HOST, 'localhost');
  return headers.host !== undefined && names.includes(headers.host.toLowerCase());
}

function consoleRequest(request: IncomingMessage): ConsoleRequest {
  const { url = '/', method = 'GET', headers } = request;
  const [path = ''] = url.split('?');
  return {
    method,
    path: path.slice(1),
    url,
    header: (name) => headers[name]?.toString(),
    body: (maxBytes) => {
      requireSmallBody(request, maxBytes);
      return readJson(request, maxBytes);
    },
  };
}
