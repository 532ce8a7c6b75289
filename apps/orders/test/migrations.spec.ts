import { DataSource, type DataSourceOptions } from 'typeorm';
import { Customer } from '../src/customers/customer.entity.js';
import { databaseOptions } from '../src/database/database-options.js';
import { Order, OrderLine } from '../src/orders/order.entity.js';
import { Product } from '../src/products/product.entity.js';
import { makeSetUp, SET_UPS } from './support/set-ups.js';

describe.each(SET_UPS)('the migrations on %s', (name) => {
  it('make the very tables that the entities describe, and take them away again', async () => {
    const { env, remove } = await makeSetUp(name, 'orders-migrations');
    const dataSource = new DataSource({
      ...databaseOptions({ url: env['DATABASE_URL'], sqlitePath: env['SQLITE_PATH'] ?? '' }),
      entities: [Customer, Product, Order, OrderLine],
    } as DataSourceOptions);
    await dataSource.initialize();
    try {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);

      await dataSource.undoLastMigration();
      const afterwards = await dataSource.driver.createSchemaBuilder().log();
      expect(afterwards.upQueries.filter(({ query }) => query.startsWith('CREATE TABLE'))).toHaveLength(5);
    } finally {
      await dataSource.destroy();
      await remove();
    }
  });
});
