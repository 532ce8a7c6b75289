import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../support/servers/index.js';
import { ServiceFolder, ServiceProcess } from '../../../../apps/id-service/test/support/service-process.js';
import type { CustomerBody } from '../../../../apps/orders/test/support/orders-client.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';

describe('the start of the backend', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'orders-start-'));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('needs no setting and reads no .env file: it creates data/orders.sqlite and prints its URL', async () => {
    writeFileSync(join(directory, '.env'), 'WORKER_ID=77\nDATABASE_URL=oracle://nowhere\n');
    const first = await OrdersProcess.start({}, directory);
    await first.untilPrinted('/customers');
    expect(first.output).toMatch(/curl -s http:\/\/localhost:\d+\/customers/);
    const customer = await first.client.newCustomer('kept');
    const { body: decoded } = await first.client.get<{ workerId: number }>(`/ids/${customer.id}`);
    expect(decoded.workerId).toBe(0);
    expect(await first.stop()).toEqual({ code: 0, signal: null });

    const second = await OrdersProcess.start({ SQLITE_PATH: join(directory, 'data/orders.sqlite') });
    const found = await second.client.get<CustomerBody>(`/customers/${customer.id}`);
    expect(found.body).toEqual(customer);
    await second.stop();
  });

  it('fails with one line that names every invalid variable and no password', async () => {
    const env = { PORT: 'http', WORKER_ID: '1024', DATABASE_URL: 'oracle://scott:tiger@db' };
    const orders = OrdersProcess.spawn(env, directory);
    expect(await orders.untilEnd()).toEqual({ code: 1, signal: null });
    expect(orders.output.trim()).toBe(
      'Cannot start: PORT must be a whole number from 0 to 65535. ' +
        'DATABASE_URL must start with postgres://, mysql:// or mariadb://; for SQLite, set SQLITE_PATH instead. ' +
        'WORKER_ID must be a whole number from 0 to 1023.',
    );
  });

  it('reports a port that is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, resolve));
    const { port } = other.address() as AddressInfo;
    const orders = OrdersProcess.spawn({ PORT: String(port) }, directory);
    expect(await orders.untilEnd()).toEqual({ code: 1, signal: null });
    expect(orders.output).toContain(`port ${port} is in use; free it or set PORT to another one`);
    await new Promise((resolve) => other.close(resolve));
  });

  it('fails with a token that the ID service refuses, and does not print it', async () => {
    const folder = new ServiceFolder();
    const service = await ServiceProcess.start(folder.env({ LEASE_NAMESPACES: 'orders' }));
    try {
      const wrong = 'another-token-0123456789';
      const orders = OrdersProcess.spawn({ ID_SERVICE_URL: service.url, ID_SERVICE_TOKEN: wrong }, directory);
      expect(await orders.untilEnd()).toEqual({ code: 1, signal: null });
      expect(orders.output).toContain('SNOWFLAKE_STORE_REJECTED');
      expect(orders.output).not.toContain(wrong);
    } finally {
      await service.stop();
      folder.remove();
    }
  });

  it('waits in production until forgotten windows have ended, and logs how long and why', async () => {
    const redis = await startRedis();
    try {
      const orders = OrdersProcess.spawn({ NODE_ENV: 'production', REDIS_URL: redis.url }, directory);
      await orders.untilPrinted('npx nestjs-snowflake-cli init');
      expect(orders.output).not.toContain('listening');
      orders.signal('SIGKILL');
      await orders.untilEnd();
    } finally {
      await redis.stop();
    }
  });
});
