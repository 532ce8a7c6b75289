import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { ask, ServiceFolder, ServiceProcess, TOKEN } from '../../id-service/test/support/service-process.js';
import { startedApp } from '../../shared/test/support/started-app.js';
import { waitFor } from '../../../test/support/wait.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, type SetUp } from './support/set-ups.js';

const RELEASED_WITHIN_MS = 20_000;

interface Registry {
  readonly rows: readonly { readonly workerId: number; readonly fencingToken?: string }[];
}

describe('the orders backend with an ID service', () => {
  let setUp: SetUp;
  const folder = new ServiceFolder();
  beforeAll(async () => {
    setUp = await makeSetUp('SQLite', 'orders-remote');
  });
  afterAll(async () => {
    await setUp?.remove();
    folder.remove();
  });
  const service = startedApp(() => ServiceProcess.spawn(folder.env({ LEASE_NAMESPACES: 'orders' })));
  // The address of a service doesn't show where its store is, so the first start of a namespace waits, in development, too.
  beforeAll(async () => {
    const store = remoteLeaseStore({ url: service().url, token: TOKEN, namespace: 'orders' });
    const first = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
    await first.start();
    await first.stop();
  });
  const orders = startedApp(() =>
    OrdersProcess.spawn({
      ...setUp.env,
      ID_SERVICE_URL: service().url,
      ID_SERVICE_TOKEN: TOKEN,
      // It would win over the database, but not over the service.
      WORKER_ID: '77',
    }),
  );

  const held = async (): Promise<number[]> => {
    const { body } = await ask<Registry>(`${service().url}/v1/leases/orders`, TOKEN);
    return body.rows.flatMap(({ workerId, fencingToken }) => (fencingToken ? [workerId] : []));
  };

  it('generates its IDs with the worker ID that the service has leased, and gives it back', async () => {
    const { client } = orders();
    const customer = await client.newCustomer('remote');
    const { body } = await client.get<{ workerId: number }>(`/ids/${customer.id}`);
    expect(await held()).toEqual([body.workerId]);
    expect(await orders().stop()).toEqual({ code: 0, signal: null });
    // A stop does not wait long for the answer of the service.
    await waitFor('the worker ID to be released', RELEASED_WITHIN_MS, async () => {
      return (await held()).length === 0;
    });
  });
});
