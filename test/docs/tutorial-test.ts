import type { Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { CodeProject } from './code-project.js';

interface Order {
  readonly id: string;
  readonly item: string;
}

interface OrdersService {
  create(item: string): Promise<Order>;
  find(id: string): Promise<Order>;
}

/** Declares the test of the tutorial's app. Each spec has only one, because the app belongs to its process. */
export function testTutorial(project: CodeProject): void {
  it('the app of the tutorial gives an order an ID, and finds it by this ID', async () => {
    const { AppModule } = await project.import<{ readonly AppModule: Type }>('src/app.module.ts');
    const { OrdersService } = await project.import<{ readonly OrdersService: Type<OrdersService> }>(
      'src/orders.service.ts',
    );
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = await module.init();
    const orders = app.get(OrdersService);
    const { id } = await orders.create('PEN');
    expect(await orders.find(id)).toMatchObject({ id, item: 'PEN' });
    await app.close();
  });
}
