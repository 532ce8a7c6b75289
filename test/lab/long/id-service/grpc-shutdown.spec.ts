import { once } from 'node:events';
import { connect } from 'node:http2';
import { status } from '@grpc/grpc-js';
import {
  ServiceFolder,
  ServiceProcess,
  TOKEN,
} from '../../../../apps/id-service/test/support/service-process.js';
import { GrpcClient } from '../../../../libs/snowflake-service/test/grpc-client.js';
import { freePort } from '../../../support/servers/index.js';

/** With its length, as gRPC sends it. */
const EMPTY_MESSAGE = Buffer.alloc(5);

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
    const stream = client.stream('snowflake.v1.IdService.StreamIds', {}, { token: TOKEN });
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
