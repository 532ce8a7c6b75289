import { Injectable } from '@nestjs/common';
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

  create(): Promise<Order> {
    return this.orders.save({ customerId: this.ids.nextId() });
  }

  find(id: string): Promise<Order | null> {
    return this.orders.findOneBy({ id });
  }
}
