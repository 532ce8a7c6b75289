import { status } from '@grpc/grpc-js';
import { GrpcClient } from '../../../libs/snowflake-service/test/grpc-client.js';
import { freePort } from '../../../test/support/servers/index.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import { ask, ServiceFolder, ServiceProcess, TOKEN } from './support/service-process.js';

const MAKE = 'snowflake.v1.IdService.MakeIds';
const STREAM = 'snowflake.v1.IdService.StreamIds';

describe('the ID service with a port for gRPC', () => {
  const folder = new ServiceFolder();
  let port: number;
  let client: GrpcClient;

  afterAll(() => folder.remove());
  const service = startedApp(async () => {
    port = await freePort();
    client = new GrpcClient(`127.0.0.1:${port}`);
    return ServiceProcess.spawn(folder.env({ GRPC_PORT: String(port) }));
  });
  afterAll(() => client?.close());

  it('issues IDs to holders of a token', async () => {
    const made = await client.call(MAKE, { count: 2 }, { token: TOKEN });
    expect([made.status, made.response['ids']]).toEqual(['OK', [expect.any(String), expect.any(String)]]);
    const refused = await client.call(MAKE, { count: 2 }, { token: '' });
    expect(refused.status).toBe('UNAUTHENTICATED');
  });

  it('prints the port, so that an operator sees that it is open', () => {
    expect(service().output).toContain(String(port));
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
    expect(await service().stop()).toEqual({ code: 0, signal: null });
  });
});

describe('the ID service with a rate limit', () => {
  const folder = new ServiceFolder();
  let client: GrpcClient;

  afterAll(() => folder.remove());
  const service = startedApp(async () => {
    const port = String(await freePort());
    const limit = { RATE_LIMIT_REQUESTS: '2', RATE_LIMIT_WINDOW_MS: '3600000', TRUST_PROXY_HOPS: '1' };
    client = new GrpcClient(`127.0.0.1:${port}`);
    return ServiceProcess.spawn(folder.env({ GRPC_PORT: port, ...limit }));
  });
  afterAll(() => client?.close());

  const statusFor = async (forwardedFor?: string): Promise<string> =>
    (await client.call(MAKE, {}, { token: TOKEN, forwardedFor })).status;

  it('counts the requests and the calls of each client together', async () => {
    expect((await ask(`${service().url}/v1/ids`, TOKEN)).status).toBe(200);
    expect(await statusFor()).toBe('OK');
    expect(await statusFor()).toBe('RESOURCE_EXHAUSTED');
    expect((await ask(`${service().url}/v1/ids`, TOKEN)).status).toBe(429);
    const { response } = await client.call('grpc.health.v1.Health.Check', {}, { token: '' });
    expect(response).toMatchObject({ status: 'SERVING' });
  });

  it('counts the requests of each client behind a proxy that it trusts, but not what they invent', async () => {
    const httpStatusFor = async (forwarded: string): Promise<number> => {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        connection: 'close',
        'x-forwarded-for': forwarded,
      };
      return (await fetch(`${service().url}/v1/ids`, { headers })).status;
    };
    expect(await httpStatusFor('192.0.2.5')).toBe(200);
    expect(await httpStatusFor('192.0.2.6')).toBe(200);
    expect(await httpStatusFor('192.0.2.6')).toBe(200);
    expect(await httpStatusFor('192.0.2.6')).toBe(429);
    // The client invented the first address, and the proxy added the second one.
    expect(await httpStatusFor('192.0.2.7, 192.0.2.6')).toBe(429);
  });

  it('counts the calls of each client behind a proxy that it trusts, but not what they invent', async () => {
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
