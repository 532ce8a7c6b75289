import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Overtaken } from '../key-value/key-value-port.js';
import { type HttpReply, HttpLines, type Pin } from './http-lines.js';

/** A server that answers when the test lets it. */
class HeldServer {
  readonly bodies: string[] = [];
  readonly open = new Set<Socket>();
  private readonly held: ServerResponse[] = [];
  private readonly server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => this.bodies.push(body));
    request.on('end', () => this.held.push(response));
  });

  async start(): Promise<string> {
    this.server.on('connection', (socket) => {
      this.open.add(socket);
      socket.on('close', () => this.open.delete(socket));
    });
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  answer(): void {
    for (const response of this.held.splice(0)) response.end('{}');
  }
}

describe('the lines to etcd', () => {
  const server = new HeldServer();
  const { signal } = new AbortController();
  let url = '';
  const send = (lines: HttpLines, body: string, pin?: Pin): Promise<HttpReply> =>
    lines.send({ url, headers: {}, body, signal, ...(pin && { pin }) });

  beforeAll(async () => void (url = await server.start()));
  beforeEach(() => void server.bodies.splice(0));
  afterAll(() => server.stop());

  it.each([
    ['an attempt', 1, () => ({})],
    ['what is asked beside it', 2, () => undefined],
  ])(
    'send nothing after their end that has waited for a line, and leave no connection: %s',
    async (_, count, pin) => {
      const lines = new HttpLines(false, undefined);
      const sent = Array.from({ length: count }, () => send(lines, 'sent', pin()));
      const waiting = send(lines, 'waiting', pin());
      const outcomes = Promise.allSettled([waiting, ...sent]);
      await server.until(() => server.bodies.length === count);
      lines.end();
      const [first, ...others] = await outcomes;
      expect(first).toEqual({ status: 'rejected', reason: expect.any(Overtaken) });
      expect(others.map(({ status }) => status)).toEqual(sent.map(() => 'rejected'));
      await server.until(() => server.open.size === 0);
      expect(server.bodies).toEqual(sent.map(() => 'sent'));
    },
  );

  it('send the second step of an attempt on the connection of the first one, or not at all', async () => {
    const lines = new HttpLines(false, undefined);
    const pin: Pin = {};
    const step = send(lines, 'read', pin);
    await server.until(() => server.bodies.length === 1);
    server.answer();
    await step;
    for (const socket of server.open) socket.destroy();
    // Until the line knows of it, it would write to the same connection, in vain.
    await server.until(() => pin.socket?.closed === true);
    await expect(send(lines, 'write', pin)).rejects.toThrow(Overtaken);
    expect(server.bodies).toEqual(['read']);
    lines.end();
  });
});
