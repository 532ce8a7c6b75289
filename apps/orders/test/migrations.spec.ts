import { DataSource, type DataSourceOptions } from 'typeorm';
import { Customer } from '../src/customers/customer.entity.js';
import { databaseOptions } from '../src/database/database-options.js';
import { Order, OrderLine } from '../src/orders/order.entity.js';
import { Product } from '../src/products/product.entity.js';
import { makeSetUp, SET_UPS } from './support/set-ups.js';

/** The statements that would be needed to make the tables what the entities describe. */
async function differences(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

describe.each(SET_UPS)('the migrations on %s', (name) => {
  it('make the very tables that the entities describe, and take them away again', async () => {
    const { env, remove } = await makeSetUp(name, 'orders-migrations');
    const dataSource = new DataSource({
      ...databaseOptions({
        url: env['DATABASE_URL'],
        sqlitePath: env['SQLITE_PATH'] ?? '',
        lockTimeoutMs: 5_000,
      }),
      entities: [Customer, Product, Order, OrderLine],
    } as DataSourceOptions);
    await dataSource.initialize();
    try {
      expect(await differences(dataSource)).toEqual([]);
      await dataSource.undoLastMigration();
      expect(await differences(dataSource)).not.toEqual([]);
      await dataSource.runMigrations();
      expect(await differences(dataSource)).toEqual([]);
    } finally {
      await dataSource.destroy();
      await remove();
    }
  });
});
