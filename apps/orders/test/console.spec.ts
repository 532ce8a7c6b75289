import { statusForHost } from '../../../test/console/support/console-app.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

describe('the console of the backend', () => {
  let setUp: SetUp;

  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'orders-console');
  });

  afterAll(() => setUp?.remove());

  it('knows the ID maker, the segments and the series of the app', async () => {
    const { client, stop } = await started({});
    try {
      const page = await client.get<string>('/snowflake/');
      expect(page.status).toBe(200);
      expect(page.body).toContain('<div id="root">');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      const { body } = await client.get<{ makers: { name: string }[] }>('/snowflake/api/app');
      expect(body).toMatchObject({ makers: [{ name: 'default' }], segments: true, series: true });
      const { body: rules } = await client.get('/snowflake/api/series');
      expect(rules).toEqual({
        series: [{ name: 'invoice', format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin' }],
      });
    } finally {
      await stop();
    }
  });

  it('is not there in production', async () => {
    const { client, stop } = await started({ NODE_ENV: 'production' });
    try {
      expect((await client.get('/snowflake/')).status).toBe(404);
      expect((await client.get('/snowflake/api/app')).status).toBe(404);
    } finally {
      await stop();
    }
  });

  it('is at no name of another website, unless an operator has opened it in production', async () => {
    for (const [env, status] of [
      [{}, 421],
      [{ NODE_ENV: 'production', CONSOLE: 'true' }, 200],
    ] as const) {
      const { client, stop } = await started(env);
      try {
        expect(await statusForHost(`${client.url}/snowflake/`, 'localhost:3000')).toBe(200);
        expect(await statusForHost(`${client.url}/snowflake/`, 'rebound.example')).toBe(status);
      } finally {
        await stop();
      }
    }
  });

  async function started(env: Record<string, string>) {
    const orders = await OrdersProcess.start({ ...setUp.env, ...env });
    return { client: orders.client, stop: () => orders.stop() };
  }
});
