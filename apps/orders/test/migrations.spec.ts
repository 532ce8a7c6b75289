import { DataSource, type DataSourceOptions } from 'typeorm';
import { Customer } from '../src/customers/customer.entity.js';
import { databaseOptions } from '../src/database/database-options.js';
import { Invoice } from '../src/invoices/invoice.entity.js';
import { Order, OrderLine } from '../src/orders/order.entity.js';
import { Product } from '../src/products/product.entity.js';
import { Ticket } from '../src/tickets/ticket.entity.js';
import { makeSetUp, SET_UPS } from './support/set-ups.js';

/** Returns the statements that would make the tables match the entities. */
async function differences(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

describe.each(SET_UPS)('the migrations on %s', (name) => {
  it('create exactly the tables that the entities describe, and drop them again', async () => {
    const { env, remove } = await makeSetUp(name, 'orders-migrations');
    const dataSource = new DataSource({
      ...databaseOptions({
        url: env['DATABASE_URL'],
        sqlitePath: env['SQLITE_PATH'] ?? '',
        lockTimeoutMs: 5_000,
      }),
      entities: [Customer, Product, Order, OrderLine, Invoice, Ticket],
    } as DataSourceOptions);
    await dataSource.initialize();
    try {
      expect(await differences(dataSource)).toEqual([]);
      for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
      expect(await differences(dataSource)).not.toEqual([]);
      await dataSource.runMigrations();
      expect(await differences(dataSource)).toEqual([]);
    } finally {
      await dataSource.destroy();
      await remove();
    }
  });
});
