import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { waitFor } from '../../../test/support/wait.js';
import { heldLeases } from './support/held-leases.js';
import { OrdersProcess } from './support/orders-process.js';
import { RawClient } from './support/raw-client.js';
import { makeSetUp, type SetUp, type SetUpName } from './support/set-ups.js';

const GRACE_MS = 5_000;
const bounded = { SHUTDOWN_GRACE_MS: String(GRACE_MS) };
/** How long the control looks at a process that has no bound: longer than the one that has. */
const OBSERVED_MS = 2 * GRACE_MS;
const LARGE_FILE = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: orders\r\n\r\n';
const UPGRADE = ['GET / HTTP/1.1', 'Host: orders', 'Connection: Upgrade', 'Upgrade: echo'];
const WEBSOCKET = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', '', ''];

/** Clients that give a server no reason to close their connection. */
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
    client.send(LARGE_FILE.repeat(40));
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

/** A request that needs an ID, half of which has arrived. */
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

describe.each<SetUpName>(['SQLite', 'PostgreSQL + Redis'])('after SIGTERM, on %s', (name) => {
  let setUp: SetUp;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-bounded-shutdown');
  });
  afterAll(() => setUp?.remove());

  async function expectToEnd(orders: OrdersProcess, kinds: string[], code: number): Promise<void> {
    const clients = await Promise.all(kinds.map((kind) => arrive(orders, kind)));
    const request = await beginRequest(orders, `in flight ${kinds.join(' ')}`.slice(0, 60));
    // Gone through its parser, with all that was sent before.
    await orders.client.get('/products');
    expect(await heldLeases(setUp)).toHaveLength(1);

    orders.signal('SIGTERM');
    await orders.untilPrinted('finishing the requests in flight');
    request.finish();
    await request.client.untilReceived('\r\n\r\n');
    expect(request.client.text).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(request.client.text).toMatch(/\r\nConnection: close\r\n/);
    await request.client.untilEnd();
    expect(await orders.untilEnd()).toEqual({ code, signal: null });
    expect(await heldLeases(setUp)).toEqual([]);
    for (const client of clients) client.destroy();
  }

  it.each([
    ['sends nothing', 0],
    ['keeps an idle connection', 0],
    ['wants an upgrade', 0],
    ['sends half of a head', 1],
    ['sends half of a body', 1],
    ['reads nothing of large answers', 1],
  ])('serves what is in flight and exits though a client %s, with code %i', async (kind, code) => {
    await expectToEnd(await OrdersProcess.start({ ...setUp.env, ...bounded }), [kind], code);
  });

  it('does so with an upgraded connection, and with all of them at once', async () => {
    const orders = await OrdersProcess.startVariant({ ...setUp.env, ...bounded });
    await expectToEnd(orders, Object.keys(CLIENTS), 1);
  });
});

describe('without the bound', () => {
  let setUp: SetUp;
  beforeEach(async () => {
    setUp = await makeSetUp('SQLite', 'orders-unbounded-shutdown');
  });
  afterEach(() => setUp?.remove());

  // Control of all of the above. The idle connection is missing: Node closes it by itself.
  it.each([
    'sends nothing',
    'sends half of a head',
    'sends half of a body',
    'reads nothing of large answers',
    'wants an upgrade',
  ])(
    'the process would live on as long as a client %s, and the lease no longer than its bound',
    async (kind) => {
      const orders = await OrdersProcess.startVariant({ ...setUp.env, ...bounded, BOUNDED: 'false' });
      const client = await arrive(orders, kind);
      await orders.client.get('/products');
      orders.signal('SIGTERM');
      await waitFor('the lease to be released', 30_000, async () => (await heldLeases(setUp)).length === 0);
      await delay(OBSERVED_MS);
      expect(orders.isAlive).toBe(true);
      client.destroy();
      expect(await orders.untilEnd()).toEqual({ code: 0, signal: null });
    },
  );
});

describe('a query that hangs', () => {
  it('keeps neither the process nor the lease beyond the grace period', async () => {
    const setUp = await makeSetUp('MariaDB + Redis', 'orders-hung-query');
    const database = await createConnection(setUp.env['DATABASE_URL']!);
    try {
      const env = { ...setUp.env, DATABASE_LOCK_TIMEOUT_MS: '600000', SHUTDOWN_GRACE_MS: '2000' };
      const orders = await OrdersProcess.start(env);
      const customer = await orders.client.newCustomer('hung');
      await database.query('START TRANSACTION');
      await database.query(`INSERT INTO products (id, sku) VALUES (1, 'SLOW-1')`);
      const lines = [{ sku: 'SLOW-1', quantity: 1, unitPrice: '5.00' }];
      const answer = orders.client.post('/orders', { customerId: customer.id, lines }).catch(() => 'cut off');
      await waitFor('a statement that waits for a lock', 20_000, async () => {
        const [rows] = await database.query(
          `SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'`,
        );
        return (rows as unknown[]).length > 0;
      });
      orders.signal('SIGTERM');
      expect(await orders.untilEnd()).toEqual({ code: 1, signal: null });
      expect(orders.output).toContain(
        'The shutdown took longer than 2000 ms (SHUTDOWN_GRACE_MS): exit code 1',
      );
      expect(await answer).toBe('cut off');
      expect(await heldLeases(setUp)).toEqual([]);
    } finally {
      await database.end();
      await setUp.remove();
    }
  });
});
