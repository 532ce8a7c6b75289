import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy that answers each request with the first response that it has got, as a badly set up cache does.
 *
 * @param rename whether it gives the response the name of the present call
 */
export async function startRepeatingProxy(
  target: string,
  rename: boolean,
): Promise<{ url: string; server: Server }> {
  let first: { readonly status: number; readonly call: string; readonly body: string } | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      first ??= await forwarded(request, target);
      const call = rename ? String(request.headers['snowflake-call']) : first.call;
      response.writeHead(first.status, { 'snowflake-call': call }).end(first.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Sends a call on to a service, and returns its response. */
export async function forwarded(request: IncomingMessage, target: string) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    ['authorization', 'content-type', 'snowflake-call'].map((name) => [name, String(request.headers[name])]),
  );
  const response = await fetch(target + request.url, {
    method: 'POST',
    headers,
    body: Buffer.concat(chunks),
  });
  return {
    status: response.status,
    call: String(response.headers.get('snowflake-call')),
    body: await response.text(),
  };
}
