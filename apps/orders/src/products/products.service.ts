import { Injectable } from '@nestjs/common';
import { type EntityManager, In, MoreThan } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import { type CursorQuery, type Page, pageOf } from '../http/cursor.dto.js';
import { Product } from './product.entity.js';

@Injectable()
export class ProductsService {
  constructor(private readonly transactions: Transactions) {}

  async list({ after = '0', limit }: CursorQuery): Promise<Page<Product>> {
    const rows = await this.transactions.read((manager) =>
      manager
        .getRepository(Product)
        .find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit + 1 }),
    );
    return pageOf(rows, limit);
  }

  /**
   * The products of these SKUs; one that is ordered for the first time is created.
   *
   * It inserts before it looks: two orders may name a new SKU at the same time, and then one waits for the other's
   * insert, ignores its own and finds the row. The IDs of ignored rows are given up, so they are read from the table.
   */
  async findOrCreate(manager: EntityManager, skus: readonly string[]): Promise<Product[]> {
    // In one order for everybody, so that two orders never wait for each other's rows.
    const distinct = [...new Set(skus)].sort();
    const products = manager.getRepository(Product);
    const rows = distinct.map((sku) => ({ sku }));
    await products.createQueryBuilder().insert().values(rows).orIgnore().updateEntity(false).execute();
    return products.findBy({ sku: In(distinct) });
  }
}
