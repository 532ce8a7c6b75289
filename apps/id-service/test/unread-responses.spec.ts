import { connect, type ClientHttp2Session } from 'node:http2';
import { freePort } from '../../../test/support/servers/index.js';
import { flood, withHeapOf } from '../../shared/test/support/flood.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import { ask, ServiceFolder, ServiceProcess, TOKEN } from './support/service-process.js';

const HEAP_MB = 160;
const CONNECTIONS = 10;
/** `batch_size` is 10,000, in the framing of gRPC. */
const STREAM_REQUEST = Buffer.from('000000000310904e', 'hex');
const STREAMS = 1000;

/** Opens streams of many IDs, and reads no response. */
function openStreams(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  for (let opened = 0; opened < STREAMS; opened += 1) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/snowflake.v1.IdService/StreamIds',
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${TOKEN}`,
    });
    stream.on('error', () => undefined);
    stream.pause();
    stream.end(STREAM_REQUEST);
  }
  return session;
}

describe('the ID service with little memory', () => {
  const folder = new ServiceFolder();
  let port: number;
  afterAll(() => folder.remove());
  const service = startedApp(async () => {
    port = await freePort();
    return ServiceProcess.spawn(folder.env({ GRPC_PORT: String(port), ...withHeapOf(HEAP_MB) }));
  });

  it('survives strangers who request its description over and over and read nothing', async () => {
    const sockets = await flood(service(), '/openapi.json', CONNECTIONS);
    expect((await ask(`${service().url}/v1/ids`, TOKEN)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    expect(service().isAlive).toBe(true);
  });

  it('survives a client that opens a thousand streams on each of two connections and reads none', async () => {
    const sessions = [openStreams(port), openStreams(port)];
    await Promise.all(
      sessions.map((session) => new Promise((resolve) => session.once('remoteSettings', resolve))),
    );
    expect((await ask(`${service().url}/v1/ids`, TOKEN)).status).toBe(200);
    for (const session of sessions) session.destroy();
    expect(service().isAlive).toBe(true);
  });
});
