import { BadRequestException, Injectable, NotFoundException } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import {
  And,
  type FindOperator,
  type FindOptionsWhere,
  LessThanOrEqual,
  MoreThan,
  MoreThanOrEqual,
} from 'typeorm';
import { CustomersService } from '../customers/customers.service.js';
import { Transactions } from '../database/transactions.js';
import { type Page, pageOf } from '../http/cursor.dto.js';
import { ProductsService } from '../products/products.service.js';
import type { CreateOrderDto } from './create-order.dto.js';
import { decimalToCents } from './money.js';
import { Order } from './order.entity.js';
import type { OrdersQuery } from './orders.query.js';

@Injectable()
export class OrdersService {
  constructor(
    private readonly ids: SnowflakeIdMaker,
    private readonly transactions: Transactions,
    private readonly customers: CustomersService,
    private readonly products: ProductsService,
  ) {}

  /** Creates the order, its lines and its new products, or none of them. */
  async create({ customerId, lines }: CreateOrderDto): Promise<Order> {
    await this.customers.requireCustomer(customerId);
    return this.transactions.run(async (manager) => {
      const skus = lines.map(({ sku }) => sku);
      return manager.getRepository(Order).save({
        customerId,
        lines: lines.map(({ sku, quantity, unitPrice }) => ({
          sku,
          quantity,
          unitPriceCents: decimalToCents(unitPrice),
        })),
        products: await this.products.findOrCreate(manager, skus),
      });
    });
  }

  /** Returns an order by ID. @throws NotFoundException */
  async get(id: string): Promise<Order> {
    const [order] = await this.find({ id }, 1);
    if (!order) throw new NotFoundException(`There is no order ${id}`);
    return order;
  }

  /**
   * Returns a page of orders, oldest first. Translates the time range to a range of the primary key: IDs ascend with
   * time, so the table needs no column and no index for the time of creation.
   */
  async list({ after, limit, from, to }: OrdersQuery): Promise<Page<Order>> {
    if (from && to && from > to) throw new BadRequestException(['from must not be later than to']);
    const bounds: FindOperator<string>[] = [MoreThan(after ?? '0')];
    if (from) bounds.push(MoreThanOrEqual(this.ids.firstIdAt(this.withinLayout(from))));
    if (to) bounds.push(LessThanOrEqual(this.ids.lastIdAt(this.withinLayout(to))));
    return pageOf(await this.find({ id: And(...bounds) }, limit + 1), limit);
  }

  /** When the order was made. */
  createdAt(order: Order): Date {
    return this.ids.decode(order.id).timestamp;
  }

  private find(where: FindOptionsWhere<Order>, take: number): Promise<Order[]> {
    return this.transactions.read((manager) =>
      manager.getRepository(Order).find({
        where,
        take,
        order: { id: 'ASC' },
        relations: { lines: true, products: true },
        // Runs one query per relation, because a join of both would multiply lines by products.
        relationLoadStrategy: 'query',
      }),
    );
  }

  /** Returns the instant, or the last one that an ID can hold if that is earlier: a range may end later. */
  private withinLayout(instant: Date): Date {
    const { expiresAt } = this.ids.layout;
    return instant < expiresAt ? instant : expiresAt;
  }
}
