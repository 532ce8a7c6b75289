import { ask, ServiceFolder, ServiceProcess, TOKEN } from '../../id-service/test/support/service-process.js';
import { waitFor } from '../../../test/support/wait.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

const RELEASED_WITHIN_MS = 20_000;

interface Registry {
  readonly rows: readonly { readonly workerId: number; readonly fencingToken?: string }[];
}

describe('the orders backend with an ID service', () => {
  let folder: ServiceFolder;
  let service: ServiceProcess;
  let setUp: SetUp;
  let orders: OrdersProcess | undefined;

  beforeAll(async () => {
    folder = new ServiceFolder();
    setUp = await makeSetUp('SQLite', 'orders-remote');
    service = await ServiceProcess.start(folder.env({ LEASE_NAMESPACES: 'orders' }));
  });
  afterAll(async () => {
    await orders?.stop();
    await service?.stop();
    await setUp?.remove();
    folder.remove();
  });

  const held = async (): Promise<number[]> => {
    const { body } = await ask<Registry>(`${service.url}/v1/leases/orders`, TOKEN);
    return body.rows.flatMap(({ workerId, fencingToken }) => (fencingToken ? [workerId] : []));
  };

  it('makes its IDs with the worker ID that the service has leased, and gives it back', async () => {
    orders = await OrdersProcess.start({
      ...setUp.env,
      ID_SERVICE_URL: service.url,
      ID_SERVICE_TOKEN: TOKEN,
      // It would win over the database, but not over the service.
      WORKER_ID: '77',
    });
    const customer = await orders.client.newCustomer('remote');
    const { body } = await orders.client.get<{ workerId: number }>(`/ids/${customer.id}`);
    expect(await held()).toEqual([body.workerId]);
    expect(await orders.stop()).toEqual({ code: 0, signal: null });
    // A stop does not wait long for the answer of the service.
    await waitFor('the worker ID to be given back', RELEASED_WITHIN_MS, async () => {
      return (await held()).length === 0;
    });
  });

  it('does not start with a token that the service refuses, and does not print it', async () => {
    const wrong = 'another-token-0123456789';
    const refused = OrdersProcess.spawn({
      ...setUp.env,
      ID_SERVICE_URL: service.url,
      ID_SERVICE_TOKEN: wrong,
    });
    expect((await refused.untilEnd()).code).toBe(1);
    expect(refused.output).toContain('SNOWFLAKE_STORE_REJECTED');
    expect(refused.output).not.toContain(wrong);
  });
});
