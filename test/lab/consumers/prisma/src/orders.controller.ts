import { Body, Controller, Get, NotFoundException, Param, Post } from '@nestjs/common';
import { ParseSnowflakeIdPipe } from 'nestjs-snowflake/http';
import { OrdersService, type Order, type OrderRequest } from './orders.service.js';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  /** Creates one order, or all orders of an array. */
  @Post()
  async create(@Body() body: OrderRequest | OrderRequest[] | undefined): Promise<Order | Order[]> {
    if (Array.isArray(body)) return this.orders.create(body);
    const [order] = await this.orders.create([body ?? {}]);
    return order!;
  }

  @Get(':id')
  async find(@Param('id', ParseSnowflakeIdPipe) id: string): Promise<Order> {
    const order = await this.orders.find(BigInt(id));
    if (!order) throw new NotFoundException();
    return order;
  }
}
