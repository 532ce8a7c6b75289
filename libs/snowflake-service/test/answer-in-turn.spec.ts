import type { Server } from 'node:http';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import type { LeaseStore } from 'nestjs-snowflake/store';
import { type HttpApp, PLATFORMS } from '../../../test/adapters/http-apps.js';
import { waitFor } from '../../../test/support/wait.js';
import { AUTHORIZED, RawClient } from './raw-client.js';
import { send, startService, storeOfTests } from './service-app.js';

const WITHIN_MS = 20_000;
const COUNT = 10_000;

const get = (path: string): string => `GET /${path} HTTP/1.1\r\n${AUTHORIZED}\r\n`;

function connectionsTo({ app }: HttpApp): Promise<number> {
  const server = app.getHttpServer() as Server;
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

describe.each(PLATFORMS)('requests that a client sends at once on %s', (platform) => {
  let service: HttpApp;
  let maker: SnowflakeIdMaker;
  let finish: () => void;
  let inspections: number;
  let client: RawClient;

  beforeEach(async () => {
    inspections = 0;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const memory = storeOfTests();
    const slow: LeaseStore = {
      ...memory,
      inspect: async () => {
        inspections += 1;
        await finished;
        return memory.inspect!();
      },
    };
    service = await startService(platform, { leases: { shop: slow }, callTimeoutMs: 60_000 });
    maker = service.app.get(SnowflakeIdMaker);
    client = await RawClient.to(service.url);
  });
  afterEach(async () => {
    client.close();
    finish();
    await service.stop();
  });

  /** Another client gets a response, so the service has processed what came before. */
  async function answeredMeanwhile(): Promise<void> {
    expect((await send(service, 'v1/layouts/default')).status).toBe(200);
  }

  it('are answered in their order, however many the service can answer without waiting', async () => {
    client.send(get('v1/ids').repeat(300));
    const ids = (await client.next(300)).flatMap(({ body }) => (JSON.parse(body) as { ids: string[] }).ids);
    expect(ids).toHaveLength(300);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('are processed one after the other', async () => {
    client.send(get('v1/leases/shop').repeat(3) + get('v1/ids'));
    await waitFor('the first request', WITHIN_MS, () => inspections > 0);
    await answeredMeanwhile();
    expect([inspections, maker.status().issued]).toEqual([1, 0]);
    finish();
    const responses = await client.next(4);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect([inspections, maker.status().issued]).toEqual([3, 1]);
  });

  it('cost them the connection if many have to wait', async () => {
    client.send(get('v1/leases/shop').repeat(100));
    await expect(client.rest()).resolves.toBe('');
    expect(inspections).toBe(1);
  });

  it('generate few IDs if the client reads nothing, and cost it the connection', async () => {
    const requests = 500;
    client.socket.pause();
    client.send(get(`v1/ids?count=${COUNT}`).repeat(requests));
    await waitFor('the requests', WITHIN_MS, () => maker.status().issued > 0);
    await waitFor('the end of the connection', WITHIN_MS, async () => (await connectionsTo(service)) === 0);
    // What the operating system keeps for the connection is the rest.
    expect(maker.status().issued).toBeLessThan((requests * COUNT) / 4);
  });
});
