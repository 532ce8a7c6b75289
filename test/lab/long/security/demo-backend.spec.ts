import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { awkwardPassword } from '../../../security/support/secret.js';

const NOTICED_WITHIN_MS = 80_000;

const right = awkwardPassword('the password');
const wrong = awkwardPassword('a wrong password');

let redis: RedisServer;
let admin: Redis;
let folder: string;

beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
  await admin.call('ACL', 'SETUSER', 'app', 'on', `>${right.text}`, '~*', '+@all');
  folder = mkdtempSync(join(tmpdir(), 'snowflake-demo-'));
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
  rmSync(folder, { recursive: true });
});

const environment = (password: string): Record<string, string> => ({
  NODE_ENV: 'test',
  // The most verbose output that it has.
  HEALTH_DETAILS: 'true',
  SQLITE_PATH: join(folder, 'orders.sqlite'),
  REDIS_URL: `redis://app:${encodeURIComponent(password)}@127.0.0.1:${redis.port}`,
});

const formsIn = (text: string): string[] => [right, wrong].flatMap((secret) => secret.formsIn(text));

describe('the demo backend [promise: secrets]', () => {
  it('reports at once that its password is wrong, and shows no password', async () => {
    const orders = OrdersProcess.spawn(environment(wrong.text));
    expect(await orders.untilEnd()).toMatchObject({ code: 1 });
    expect(orders.output).toContain('refuses this client: WRONGPASS');
    expect(formsIn(orders.output)).toEqual([]);
  });

  it('shows no password in its health check and its log if the password is changed while it runs', async () => {
    const orders = await OrdersProcess.start(environment(right.text));
    try {
      const health = async (): Promise<string> => {
        const { status, body } = await orders.client.get('/health');
        return `${status} ${JSON.stringify(body)}`;
      };
      const before = await health();
      await admin.call('ACL', 'SETUSER', 'app', 'resetpass', `>${wrong.text}`);
      await admin.call('CLIENT', 'KILL', 'USER', 'app');
      await waitFor('the refusal', NOTICED_WITHIN_MS, () =>
        orders.output.includes('A call to the lease store failed'),
      );
      const after = await health();
      expect(formsIn(before + after + orders.output)).toEqual([]);
    } finally {
      await orders.stop();
    }
  });
});
