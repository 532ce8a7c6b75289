import type { ErrorBody } from './support/orders-client.js';
import { OrdersProcess } from './support/orders-process.js';
import { makeSetUp, SET_UPS, type SetUp } from './support/set-ups.js';

interface TicketBody {
  readonly number: number;
  readonly customerId: string;
  readonly subject: string;
}

describe.each(SET_UPS)('support tickets on %s', (name) => {
  let setUp: SetUp;
  let orders: OrdersProcess;
  let customerId: string;

  beforeAll(async () => {
    setUp = await makeSetUp(name, 'orders-tickets');
    orders = await OrdersProcess.start(setUp.env);
    customerId = (await orders.client.newCustomer('caller')).id;
  });
  afterAll(async () => {
    await orders?.stop();
    await setUp?.remove();
  });

  async function opened(subject: string): Promise<TicketBody> {
    const { status, body, text } = await orders.client.post<TicketBody>('/tickets', { customerId, subject });
    if (status !== 201) throw new Error(`POST /tickets: ${status} ${text}`);
    return body;
  }

  it('get short numbers in order, over a restart as well', async () => {
    expect(await opened('no plug')).toEqual({ number: 1, customerId, subject: 'no plug' });
    expect((await opened('no bulb')).number).toBe(2);
    await orders.stop();
    orders = await OrdersProcess.start(setUp.env);
    expect((await opened('no lamp')).number).toBe(3);
    expect(await orders.client.get('/tickets/2')).toMatchObject({
      status: 200,
      body: { number: 2, subject: 'no bulb' },
    });
  });

  it('need a customer, and a number that exists', async () => {
    const stranger = { customerId: '1234567890123456789', subject: 'who?' };
    expect((await orders.client.post<ErrorBody>('/tickets', stranger)).status).toBe(422);
    expect((await orders.client.post<ErrorBody>('/tickets', { customerId, subject: '' })).status).toBe(400);
    expect((await orders.client.get<ErrorBody>('/tickets/999')).body.message).toBe('There is no ticket 999');
    expect((await orders.client.get<ErrorBody>('/tickets/one')).status).toBe(400);
  });
});
