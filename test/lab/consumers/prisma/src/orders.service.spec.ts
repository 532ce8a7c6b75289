import { Test, type TestingModule } from '@nestjs/testing';
import { SnowflakeTestingModule } from 'nestjs-snowflake/testing';
import { OrdersService } from './orders.service.js';
import { PrismaModule } from './prisma.module.js';
import { PrismaService } from './prisma.service.js';

describe('OrdersService', () => {
  let module: TestingModule;
  let service: OrdersService;

  beforeEach(async () => {
    module = await Test.createTestingModule({
      // Each test begins with empty tables, so the same IDs may come again.
      imports: [SnowflakeTestingModule.forRoot({ start: 1001, mayRepeat: true }), PrismaModule],
      providers: [OrdersService],
    }).compile();
    await module.init();
    service = module.get(OrdersService);
    const db = module.get(PrismaService);
    await db.line.deleteMany();
    await db.order.deleteMany();
  });
  afterEach(() => module.close());

  it('gives each order of a batch, and each of its lines, an ID of its own', async () => {
    const orders = await service.create([
      { customerId: '7', skus: ['PEN', 'INK'] },
      { customerId: '8', skus: ['PAD'] },
    ]);
    expect(orders).toEqual([
      {
        id: 1001n,
        customerId: 7n,
        lines: [
          { id: 1002n, sku: 'PEN', orderId: 1001n },
          { id: 1003n, sku: 'INK', orderId: 1001n },
        ],
      },
      {
        id: 1004n,
        customerId: 8n,
        lines: [{ id: 1005n, sku: 'PAD', orderId: 1004n }],
      },
    ]);
    expect(await service.find(1004n)).toEqual(orders[1]);
  });

  it('finds no order under the ID of a line', async () => {
    await service.create([{ customerId: '7', skus: ['PEN'] }]);
    expect(await service.find(1002n)).toBeNull();
  });
});
