import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { waitFor, within } from '../../../test/support/wait.js';
import { OpenConnections } from '../src/shutdown/open-connections.js';

const TIMEOUT_MS = 20_000;
/** Larger than a connection's buffers. */
const ANSWER = Buffer.alloc(30_000_000, 'x');

describe('a response that is complete but undelivered when the server stops', () => {
  let server: Server;
  let connections: OpenConnections;
  let reader: Socket;
  let received = 0;

  beforeEach(async () => {
    received = 0;
    server = createServer((_request, answer) => answer.end(ANSWER));
    connections = new OpenConnections(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
    reader.on('error', () => undefined);
    reader.on('data', (chunk: Buffer) => (received += chunk.length));
    reader.pause();
    const asked = once(server, 'request');
    reader.write('GET / HTTP/1.1\r\nHost: orders\r\n\r\n');
    await within('the request', TIMEOUT_MS, asked);
  });

  afterEach(() => {
    reader.destroy();
    server.closeAllConnections();
  });

  it('delivers a complete response before the server closes', async () => {
    connections.stopAccepting();
    expect(server.listening).toBe(false);
    reader.resume();
    await within('all answers to be delivered', TIMEOUT_MS, connections.answered());
    const closed = within('the server to close', TIMEOUT_MS, once(server, 'close'));
    server.close();
    await closed;
    await waitFor('the rest to arrive', TIMEOUT_MS, () => received > ANSWER.length);
  });

  // Node's `close()` treats the connection as idle.
  it('cuts a complete response off without OpenConnections (control)', async () => {
    const closed = within('the server to close', TIMEOUT_MS, once(server, 'close'));
    server.close();
    const ended = within('the connection to end', TIMEOUT_MS, once(reader, 'close'));
    reader.resume();
    await Promise.all([closed, ended]);
    expect(received).toBeLessThan(ANSWER.length);
  });
});

describe('a server that stops', () => {
  it('announces the end of a connection in its last response only', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const server = createServer((request, answer) => void finished.then(() => answer.end(request.url)));
    const connections = new OpenConnections(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    let asked = 0;
    server.on('request', () => (asked += 1));
    client.write('GET /first HTTP/1.1\r\nHost: orders\r\n\r\nGET /second HTTP/1.1\r\nHost: orders\r\n\r\n');
    await waitFor('both requests', TIMEOUT_MS, () => asked === 2);

    connections.stopAccepting();
    const ended = within('the connection to end', TIMEOUT_MS, once(client, 'close'));
    finish();
    await ended;
    const [first = '', second = ''] = text.split('/first');
    expect(first).toContain('Connection: keep-alive');
    expect(second).toContain('Connection: close');
    expect(second).toMatch(/\/second$/);
    expect(connections.count).toBe(0);
  });

  it('waits for no response of a client that has gone, not even for those behind its first one', async () => {
    const server = createServer(() => undefined);
    const connections = new OpenConnections(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let asked = 0;
    server.on('request', () => (asked += 1));
    client.write('GET / HTTP/1.1\r\nHost: orders\r\n\r\n'.repeat(3));
    await waitFor('the requests', TIMEOUT_MS, () => asked === 3);
    client.destroy();
    connections.stopAccepting();
    await within('the end of all responses', TIMEOUT_MS, connections.answered());
    expect(connections.count).toBe(0);
  });
});
