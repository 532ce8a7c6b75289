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
   * Returns the products with these SKUs, and creates the missing ones.
   *
   * Inserts before it reads. If two orders use a new SKU at the same time, one waits for the other's insert, ignores
   * its own and finds the row. IDs of ignored rows are discarded, so the result is read from the table.
   */
  async findOrCreate(manager: EntityManager, skus: readonly string[]): Promise<Product[]> {
    // They are sorted, so that two transactions never wait for each other's rows.
    const distinct = [...new Set(skus)].sort();
    const products = manager.getRepository(Product);
    const rows = distinct.map((sku) => ({ sku }));
    await products.createQueryBuilder().insert().values(rows).orIgnore().updateEntity(false).execute();
    return products.findBy({ sku: In(distinct) });
  }
}
