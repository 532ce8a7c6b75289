import { Test } from '@nestjs/testing';
import { getRepositoryToken } from '@nestjs/typeorm';
import { SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { Order } from './order.entity';
import { OrdersService } from './orders.service';

describe('OrdersService', () => {
  it('creates an order with the ID of a customer', async () => {
    const app = await Test.createTestingModule({
      imports: [
        SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }),
      ],
      providers: [
        OrdersService,
        {
          provide: getRepositoryToken(Order),
          useValue: { save: (order: Order) => Promise.resolve(order) },
        },
      ],
    }).compile();
    const { customerId } = await app.get(OrdersService).create();
    expect(customerId).toMatch(/^\d+$/);
    await app.close();
  });
});
