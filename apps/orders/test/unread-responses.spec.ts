import { flood, withHeapOf } from '../../shared/test/support/flood.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

const HEAP_MB = 256;
const CONNECTIONS = 10;

describe('the orders backend with little memory', () => {
  let setUp: SetUp;
  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'unread-responses');
  });
  afterAll(() => setUp?.remove());
  const orders = startedApp(() => OrdersProcess.spawn({ ...setUp.env, ...withHeapOf(HEAP_MB) }));

  it.each(['/docs-json', '/docs/swagger-ui-bundle.js'])(
    'survives strangers who request %s over and over and read nothing',
    async (path) => {
      const sockets = await flood(orders(), path, CONNECTIONS);
      expect((await orders().client.get('/products')).status).toBe(200);
      for (const socket of sockets) socket.destroy();
      expect(orders().isAlive).toBe(true);
    },
  );
});
