import { Controller, Get, Post } from '@nestjs/common';
import { Order } from './order.entity';
import { OrdersService } from './orders.service';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  create(): Promise<Order> {
    return this.orders.create();
  }

  @Get()
  findAll(): Promise<Order[]> {
    return this.orders.findAll();
  }
}
