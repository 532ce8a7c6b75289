import { heldLeases, untilNoLeaseIsHeld } from '../../../../apps/orders/test/support/held-leases.js';
import { OrdersProcess } from '../../../../apps/orders/test/support/orders-process.js';
import { OtherSession } from '../../../../apps/orders/test/support/other-session.js';
import { RawClient } from '../../../../apps/shared/test/support/raw-client.js';
import { makeSetUp, type SetUp, type SetUpName } from '../../../../apps/orders/test/support/set-ups.js';

/** Leaves a test that stalls the time to finish its request before the connections are cut, two seconds earlier. */
const GRACE_MS = 8_000;
const bounded = { SHUTDOWN_GRACE_MS: String(GRACE_MS) };
/** For a process that does not need all of it. */
const unhurried = { SHUTDOWN_GRACE_MS: '60000' };
const LARGE_FILE = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: orders\r\n\r\n';
const UPGRADE = ['GET / HTTP/1.1', 'Host: orders', 'Connection: Upgrade', 'Upgrade: echo'];
const WEBSOCKET = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', '', ''];

/** Clients that keep a connection open. */
const CLIENTS: Record<string, (client: RawClient) => Promise<void> | void> = {
  'sends nothing': () => undefined,
  'sends half of a head': (client) => client.send('POST /customers HTTP/1.1', 'Host: ord'),
  'sends half of a body': (client) =>
    client.send(
      'POST /customers HTTP/1.1',
      'Host: orders',
      'Content-Type: application/json',
      'Content-Length: 50',
      '',
      '{',
    ),
  'reads nothing of large answers': async (client) => {
    // As many as may wait on one connection.
    client.send(LARGE_FILE.repeat(16));
    await client.untilReceived('HTTP/1.1 200');
    client.stopReading();
  },
  'keeps an idle connection': async (client) => {
    client.send('GET /products HTTP/1.1', 'Host: orders', '', '');
    await client.untilReceived('"next":null}');
  },
  'wants an upgrade': async (client) => {
    client.send(...UPGRADE, ...WEBSOCKET);
    await client.untilReceived('HTTP/1.1');
  },
};

async function arrive(orders: OrdersProcess, kind: string): Promise<RawClient> {
  const client = await RawClient.connect(orders.client.url);
  await CLIENTS[kind]!(client);
  return client;
}

/** Sends half of a request that needs an ID. */
async function beginRequest(orders: OrdersProcess, name: string) {
  const body = JSON.stringify({ name, email: `${name.replaceAll(' ', '-')}@example.com` });
  const client = await RawClient.connect(orders.client.url);
  client.send(
    'POST /customers HTTP/1.1',
    'Host: orders',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body.slice(0, 5),
  );
  return { client, finish: () => client.send(body.slice(5)) };
}

describe('after SIGTERM', () => {
  let setUp: SetUp;
  afterEach(() => setUp?.remove());

  async function start(
    name: SetUpName,
    startOne = OrdersProcess.start,
    grace = bounded,
  ): Promise<OrdersProcess> {
    setUp = await makeSetUp(name, 'orders-bounded-shutdown');
    return startOne({ ...setUp.env, ...grace });
  }

  async function expectToEnd(orders: OrdersProcess, kinds: string[], code: number): Promise<void> {
    const clients = await Promise.all(kinds.map((kind) => arrive(orders, kind)));
    const request = await beginRequest(orders, 'in flight');
    // When this is answered, the server has read everything sent before.
    await orders.client.get('/products');
    expect(await heldLeases(setUp)).toEqual([0]);

    orders.signal('SIGTERM');
    await orders.untilPrinted('Finishing the requests in flight');
    request.finish();
    await request.client.untilReceived('\r\n\r\n');
    expect(request.client.text).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(request.client.text).toMatch(/\r\nConnection: close\r\n/);
    await request.client.untilEnd();
    expect(await orders.untilEnd()).toEqual({ code, signal: null });
    await untilNoLeaseIsHeld(setUp);
    for (const client of clients) client.destroy();
  }

  it('the backend answers requests in flight and exits with code 0 if clients send nothing, stay idle and want an upgrade', async () => {
    const orders = await start('PostgreSQL + Redis', OrdersProcess.start, unhurried);
    await expectToEnd(orders, ['sends nothing', 'keeps an idle connection', 'wants an upgrade'], 0);
  });

  it('the backend answers requests in flight and exits with code 1 if clients send half of a head, send half of a body and read nothing', async () => {
    const kinds = ['sends half of a head', 'sends half of a body', 'reads nothing of large answers'];
    await expectToEnd(await start('PostgreSQL + Redis'), kinds, 1);
  });

  it.each<SetUpName>(['SQLite', 'PostgreSQL + Redis'])(
    'the backend exits on %s with all of these clients at once, one of them upgraded',
    async (name) => {
      await expectToEnd(await start(name, OrdersProcess.startVariant), Object.keys(CLIENTS), 1);
    },
  );

  // Control of all of the above, except the idle connection, which Node closes itself.
  it('a process without the bound outlives one with it, kept alive by each of them, but releases its lease in time (control)', async () => {
    setUp = await makeSetUp('PostgreSQL + Redis', 'orders-unbounded-shutdown');
    const kinds = Object.keys(CLIENTS).filter((kind) => kind !== 'keeps an idle connection');
    const unbounded = await Promise.all(
      kinds.map(async (kind) => {
        const orders = await OrdersProcess.startVariant({ ...setUp.env, ...bounded, BOUNDED: 'false' });
        return { kind, orders, client: await arrive(orders, kind) };
      }),
    );
    const other = await OrdersProcess.startVariant({ ...setUp.env, ...bounded });
    const clients = await Promise.all(kinds.map((kind) => arrive(other, kind)));
    const all = [other, ...unbounded.map(({ orders }) => orders)];
    for (const orders of all) await orders.client.get('/products');
    expect(await heldLeases(setUp)).toHaveLength(all.length);
    for (const orders of all) orders.signal('SIGTERM');
    await untilNoLeaseIsHeld(setUp);
    expect(await other.untilEnd()).toEqual({ code: 1, signal: null });
    for (const client of clients) client.destroy();
    expect(unbounded.filter(({ orders }) => orders.isAlive).map(({ kind }) => kind)).toEqual(kinds);
    for (const { orders, client } of unbounded) {
      client.destroy();
      expect(await orders.untilEnd()).toEqual({ code: 0, signal: null });
    }
  });
});

describe('a query that hangs', () => {
  it('a query that hangs extends neither the process nor the lease beyond the grace period', async () => {
    const setUp = await makeSetUp('MariaDB + Redis', 'orders-hung-query');
    const other = await OtherSession.open(setUp.env['DATABASE_URL']!);
    const env = { ...setUp.env, ...bounded, DATABASE_LOCK_TIMEOUT_MS: '600000' };
    const orders = await OrdersProcess.start(env);
    try {
      const customer = await orders.client.newCustomer('hung');
      await other.run('START TRANSACTION');
      await other.run(`INSERT INTO products (id, sku) VALUES (1, 'SLOW-1')`);
      const lines = [{ sku: 'SLOW-1', quantity: 1, unitPrice: '5.00' }];
      const answer = orders.client.post('/orders', { customerId: customer.id, lines }).catch(() => 'cut off');
      await other.untilSomebodyWaits();
      orders.signal('SIGTERM');
      expect(await orders.untilEnd()).toEqual({ code: 1, signal: null });
      expect(orders.output).toContain(
        `The shutdown took longer than ${GRACE_MS} ms (SHUTDOWN_GRACE_MS): exit code 1`,
      );
      expect(await answer).toBe('cut off');
      await untilNoLeaseIsHeld(setUp);
    } finally {
      await orders.stop();
      await other.end();
      await setUp.remove();
    }
  });
});
