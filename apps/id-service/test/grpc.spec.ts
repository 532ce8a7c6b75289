import { GrpcClient } from '../../../libs/snowflake-service/test/grpc-client.js';
import { freePort } from '../../../test/support/servers/index.js';
import { ServiceFolder, ServiceProcess, TOKEN } from './support/service-process.js';

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
    const made = await client.call('snowflake.v1.IdService.MakeIds', { count: 2 }, { token: TOKEN });
    expect([made.status, made.response['ids']]).toEqual(['OK', [expect.any(String), expect.any(String)]]);
    const refused = await client.call('snowflake.v1.IdService.MakeIds', { count: 2 }, { token: '' });
    expect(refused.status).toBe('UNAUTHENTICATED');
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
