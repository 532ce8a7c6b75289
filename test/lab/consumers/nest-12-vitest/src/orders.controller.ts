import {
  Controller,
  Get,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { Order } from './order.entity.js';
import { OrdersService } from './orders.service.js';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  create(): Promise<Order> {
    return this.orders.create();
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<Order> {
    const order = await this.orders.find(id);
    if (!order) throw new NotFoundException();
    return order;
  }
}
