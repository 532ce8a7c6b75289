import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { Repository } from 'typeorm';
import { Order } from './order.entity.js';

@Injectable()
export class OrdersService {
  constructor(
    private readonly ids: SnowflakeIdMaker,
    @InjectRepository(Order) private readonly orders: Repository<Order>,
  ) {}

  create(item: string): Promise<Order> {
    return this.orders.save({ item });
  }
  async find(id: string) {
    const order = await this.orders.findOneBy({ id });
    if (!order) throw new NotFoundException();
    const { timestamp, workerId } = this.ids.decode(id);
    return { id, item: order.item, madeAt: timestamp, workerId };
  }
}
