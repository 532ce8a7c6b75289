import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import libsql from 'libsql';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import {
  createdBetween,
  prepareDatabase,
  snowflakeColumn,
  snowflakeIdColumn,
  snowflakeSchema,
} from 'nestjs-snowflake/typeorm';
import { DataSource, EntitySchema } from 'typeorm';
import { boot } from '../support/boot.js';
import { databaseFor } from '../support/servers/index.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

interface Order {
  readonly id: string;
  readonly customerId: string;
}

interface Shipment {
  readonly id: string;
  readonly orderId: string;
}

const code = new PageCode('docs/guides/typeorm.md');
const Order = await code.run<Type<Order>>('order.entity.ts', 'Order');

describe('the code of the TypeORM guide', () => {
  it('a class and a schema get their IDs in a database module that Nest makes', async () => {
    process.env.DATABASE_URL = await databaseFor('postgres', 'typeorm page');
    const Shipment = snowflakeSchema(
      new EntitySchema<Shipment>({
        name: 'Shipment',
        columns: { id: snowflakeIdColumn(), orderId: snowflakeColumn() },
      }),
    );
    @Module({})
    class AppModule {}
    const root = {
      module: AppModule,
      imports: [
        await code.run<DynamicModule>('database.module.ts', 'databaseModule'),
        SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 5 }) }),
        TypeOrmModule.forFeature([Order, Shipment]),
      ],
    };
    const app = await boot(root);
    try {
      const [{ manager }, ids] = [app.get(DataSource), app.get(SnowflakeIdMaker)];
      await app.get(DataSource).synchronize();
      const order = await manager.save(Order, { customerId: ids.nextId() });
      expect(ids.decode(order.id).workerId).toBe(5);
      const { id } = await manager.save(Shipment, { orderId: order.id });
      expect(await manager.findOneBy(Shipment, { orderId: order.id })).toEqual({ id, orderId: order.id });

      const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
      expect(await manager.findBy(Order, { id: createdBetween(ids, from, to) })).toEqual([order]);
      const query = manager
        .createQueryBuilder(Order, 'o')
        .where('o.id >= :first AND o.id < :before', ids.idRange(from, to));
      expect(await query.getMany()).toEqual([order]);
    } finally {
      await app.close();
    }
  });

  it('a seed inserts exact IDs into SQLite without Nest, with the options of the app', async () => {
    const seed = await code.run<(dataSource: DataSource) => Promise<void>>('seed.ts', 'seed');
    const dataSource = new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      prepareDatabase,
      entities: [Order],
      synchronize: true,
    });

    await seed(dataSource);

    const orders = await dataSource.getRepository(Order).find();
    const decoder = new IdDecoder(new BitLayout());
    expect(orders.map(({ id }) => decoder.decode(id).workerId)).toEqual([9, 9]);
    expect(orders.map(({ customerId }) => decoder.decode(customerId).workerId)).toEqual([9, 9]);
    for (const { id, customerId } of orders) {
      expect(BigInt(customerId)).toBeGreaterThan(2n ** 53n);
      expect(BigInt(id)).toBeGreaterThan(BigInt(customerId));
    }
    await dataSource.destroy();
  });

  testThatAllHaveRun(code);
});
