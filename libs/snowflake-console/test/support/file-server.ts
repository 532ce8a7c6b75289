import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** Nothing but files of the page's own origin: no inline script, no inline style, no request elsewhere. */
export const STRICT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Answers a request below `api/`. The address is relative to the page. */
export type Api = (address: string, request: IncomingMessage, response: ServerResponse) => void;

const NO_API: Api = (_address, _request, response) => {
  response.writeHead(404).end();
};

/** Serves a folder below a path, as any file server would. By default, under the strictest policy that the console promises to bear. */
export class FileServer {
  private constructor(
    private readonly server: Server,
    /** Address of the page. */
    readonly url: string,
  ) {}

  static async of(
    folder: string,
    path = '/',
    api: Api = NO_API,
    policy: string | null = STRICT_POLICY,
  ): Promise<FileServer> {
    const server = createServer((request, response) => {
      const wanted = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
      const file = wanted.startsWith(path) ? wanted.slice(path.length) || 'index.html' : 'none';
      if (file.startsWith('api/')) {
        api(file, request, response);
        return;
      }
      readFile(join(folder, normalize(join('/', file)))).then(
        (body) => {
          response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
          if (policy !== null) response.setHeader('content-security-policy', policy);
          response.end(body);
        },
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return new FileServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(() => resolve());
    });
  }
}
