import { Args, Query, Resolver } from '@nestjs/graphql';
import { SnowflakeID } from 'nestjs-snowflake/graphql';
import { OrderDto } from './order.dto.js';
import { OrderType } from './order.type.js';
import { OrdersService } from './orders.service.js';

@Resolver(() => OrderType)
export class OrdersResolver {
  constructor(private readonly orders: OrdersService) {}

  @Query(() => OrderType, { description: 'Shows an order' })
  async order(@Args('id', { type: () => SnowflakeID }) id: string): Promise<OrderType> {
    const order = await this.orders.get(id);
    return OrderDto.of(order, this.orders.createdAt(order));
  }
}
