import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that came through, and the number of the connection on which it came. */
export interface SeenRequest {
  readonly path: string;
  readonly body: string;
  readonly connection: number;
}

/** What a front does with a response: the default passes it on. */
export interface FrontRules {
  /** Changes the headers of the response. */
  readonly headers?: (headers: Headers) => void;
  /** Refuses these paths as if only the root user may ask. */
  readonly forbids?: string;
  /** Ends the connection instead of answering. */
  readonly drops?: (request: SeenRequest) => boolean;
}

/** A reverse proxy in front of etcd, as a test wants it. */
export class Front {
  readonly requests: SeenRequest[] = [];
  rules: FrontRules = {};
  private readonly connections = new Map<Socket, number>();

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('connection', (socket) => this.connections.set(socket, this.connections.size + 1));
    server.on('request', (request, response) => {
      // The server behind it may go down at any moment.
      this.forward(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(target: string): Promise<Front> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Front(server, target);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const connection = this.connections.get(request.socket) ?? 0;
    const seen = { path: request.url ?? '', body, connection };
    this.requests.push(seen);
    if (this.rules.forbids === seen.path) {
      response.writeHead(403);
      return void response.end(JSON.stringify({ code: 7, message: 'etcdserver: permission denied' }));
    }
    const headers = new Headers({ 'content-type': 'application/json' });
    if (request.headers.authorization) headers.set('authorization', request.headers.authorization);
    const reply = await fetch(`${this.target}${seen.path}`, { method: 'POST', body, headers });
    const answer = await reply.text();
    if (this.rules.drops?.(seen)) return void request.socket.destroy();
    const shown = new Headers({ date: reply.headers.get('date') ?? '' });
    this.rules.headers?.(shown);
    response.sendDate = false;
    response.writeHead(reply.status, Object.fromEntries(shown));
    response.end(answer);
  }
}
