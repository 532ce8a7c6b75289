import { once } from 'node:events';
import { connect } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { GrpcClient } from '../../../libs/snowflake-service/test/grpc-client.js';
import { freePort } from '../../../test/support/servers/index.js';
import { ask, ServiceFolder, ServiceProcess, TOKEN } from './support/service-process.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';
const STREAM = 'snowflake.v1.IdService.StreamIds';
/** With its length, as gRPC sends it. */
const EMPTY_MESSAGE = Buffer.alloc(5);

describe('the ID service with a port for gRPC', () => {
  let folder: ServiceFolder;
  let service: ServiceProcess;
  let port: number;
  let client: GrpcClient;

  beforeAll(async () => {
    folder = new ServiceFolder();
    port = await freePort();
    service = await ServiceProcess.start(folder.env({ GRPC_PORT: String(port) }));
    client = new GrpcClient(`127.0.0.1:${port}`);
  });
  afterAll(async () => {
    client?.close();
    await service?.stop();
    folder.remove();
  });

  it('issues IDs to holders of a token', async () => {
    const made = await client.call(MAKE, { count: 2 }, { token: TOKEN });
    expect([made.status, made.response['ids']]).toEqual(['OK', [expect.any(String), expect.any(String)]]);
    const refused = await client.call(MAKE, { count: 2 }, { token: '' });
    expect(refused.status).toBe('UNAUTHENTICATED');
  });

  it('prints the port, so that an operator sees that it is open', () => {
    expect(service.output).toContain(String(port));
  });

  it('reports its health', async () => {
    const { response } = await client.call('grpc.health.v1.Health.Check', {}, { token: '' });
    expect(response).toMatchObject({ status: 'SERVING' });
  });

  it('does not start if another process has the port', async () => {
    const second = ServiceProcess.spawn(folder.env({ GRPC_PORT: String(port) }));
    expect((await second.untilEnd()).code).toBe(1);
    expect(second.output).toContain("GRPC_PORT can't be used");
  });

  it('ends with exit code 0, although a client stays connected', async () => {
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('the ID service with a rate limit', () => {
  let folder: ServiceFolder;
  let service: ServiceProcess;
  let client: GrpcClient;

  beforeAll(async () => {
    folder = new ServiceFolder();
    const port = String(await freePort());
    const limit = { RATE_LIMIT_REQUESTS: '2', RATE_LIMIT_WINDOW_MS: '3600000', TRUST_PROXY_HOPS: '1' };
    service = await ServiceProcess.start(folder.env({ GRPC_PORT: port, ...limit }));
    client = new GrpcClient(`127.0.0.1:${port}`);
  });
  afterAll(async () => {
    client?.close();
    await service?.stop();
    folder.remove();
  });

  const statusFor = async (forwardedFor?: string): Promise<string> =>
    (await client.call(MAKE, {}, { token: TOKEN, forwardedFor })).status;

  it('counts the requests and the calls of each client together', async () => {
    expect((await ask(`${service.url}/v1/ids`, TOKEN)).status).toBe(200);
    expect(await statusFor()).toBe('OK');
    expect(await statusFor()).toBe('RESOURCE_EXHAUSTED');
    expect((await ask(`${service.url}/v1/ids`, TOKEN)).status).toBe(429);
    const { response } = await client.call('grpc.health.v1.Health.Check', {}, { token: '' });
    expect(response).toMatchObject({ status: 'SERVING' });
  });

  it('knows the clients behind a proxy that it trusts, but not what they invent', async () => {
    expect(await statusFor('192.0.2.1')).toBe('OK');
    expect(await statusFor('192.0.2.1')).toBe('OK');
    expect(await statusFor('192.0.2.2')).toBe('OK');
    expect(await statusFor('192.0.2.3, 192.0.2.1')).toBe('RESOURCE_EXHAUSTED');
  });

  it('counts a stream once, however many batches it has', async () => {
    const sending = { token: TOKEN, forwardedFor: '192.0.2.4' };
    for (const batchCount of [5, 5]) {
      let received = 0;
      for await (const _ of client.stream(STREAM, { batchCount }, sending)) received += 1;
      expect(received).toBe(batchCount);
    }
    const refused = client.stream(STREAM, { batchCount: 5 }, sending).toArray();
    await expect(refused).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });
});

describe('SIGTERM for an ID service that streams IDs', () => {
  let folder: ServiceFolder;
  let service: ServiceProcess;
  let address: string;

  async function start(graceMs: number): Promise<void> {
    const port = String(await freePort());
    address = `127.0.0.1:${port}`;
    service = await ServiceProcess.start(folder.env({ GRPC_PORT: port, SHUTDOWN_GRACE_MS: String(graceMs) }));
  }

  beforeEach(() => {
    folder = new ServiceFolder();
  });
  afterEach(async () => {
    await service?.stop();
    folder.remove();
  });

  it('sends a client that reads to another instance, and ends with exit code 0', async () => {
    await start(60_000);
    const client = new GrpcClient(address);
    const stream = client.stream(STREAM, {}, { token: TOKEN });
    const ended = (async (): Promise<void> => {
      for await (const _ of stream) service.signal('SIGTERM');
    })();
    await expect(ended).rejects.toMatchObject({ code: status.UNAVAILABLE });
    client.close();
    expect(await service.untilEnd()).toEqual({ code: 0, signal: null });
  });

  it('cuts off a client that reads nothing, and ends with exit code 1 and one warning that names the variable for it', async () => {
    await start(4_000);
    const session = connect(`http://${address}`, { settings: { initialWindowSize: 0 } });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/snowflake.v1.IdService/StreamIds',
      'content-type': 'application/grpc',
      authorization: `Bearer ${TOKEN}`,
      te: 'trailers',
    });
    stream.end(EMPTY_MESSAGE);
    // The service sends the headers with the first batch, for which the client has no room.
    await once(stream, 'response');
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.on('error', () => undefined);
    session.on('error', () => undefined);
    expect(await service.stop()).toEqual({ code: 1, signal: null });
    await closed;
    const warnings = service.output.split('\n').filter((line) => line.includes(' WARN '));
    expect(warnings).toEqual([expect.stringContaining('SHUTDOWN_GRACE_MS')]);
  });
});
