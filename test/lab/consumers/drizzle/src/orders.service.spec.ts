import { fakeIdMaker } from 'nestjs-snowflake/testing';
import { openDatabase, type Database } from './database.js';
import { ids } from './ids.js';
import { OrdersService } from './orders.service.js';

describe('OrdersService', () => {
  let db: Database;
  let service: OrdersService;

  beforeEach(async () => {
    // Each test begins with an empty database, so the same IDs may come again.
    const maker = fakeIdMaker({ start: 1001, mayRepeat: true });
    ids.bind(maker);
    db = await openDatabase(':memory:');
    service = new OrdersService(maker, db);
  });
  afterEach(() => db.$client.close());

  it('gives each order of a batch an ID of its own', async () => {
    const orders = await service.create([{ customerId: '7' }, { customerId: '8' }]);
    expect(orders).toEqual([
      { id: '1001', customerId: '7' },
      { id: '1002', customerId: '8' },
    ]);
    expect(await service.find('1002')).toEqual(orders[1]);
  });

  it('finds no order under the ID of another row', async () => {
    await service.create([{ customerId: '7' }]);
    expect(await service.find('7')).toBeUndefined();
  });
});
