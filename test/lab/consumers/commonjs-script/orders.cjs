const libsql = require('libsql');
const { SnowflakeIdMaker } = require('nestjs-snowflake/standalone');
const { sqlLeaseStore } = require('nestjs-snowflake/sql');
const { attachSnowflake, prepareDatabase } = require('nestjs-snowflake/typeorm');
const { DataSource } = require('typeorm');
const { OrderSchema } = require('./order.cjs');

const { DATABASE_FILE: database = 'shop.sqlite' } = process.env;
const sqlite = { type: 'better-sqlite3', driver: libsql, database, prepareDatabase };

/** Opens the shop: orders in SQLite, and the lease of a worker ID in the same file. */
exports.openShop = async () => {
  const ids = new SnowflakeIdMaker({
    store: sqlLeaseStore({ dataSource: sqlite, namespace: 'shop', createTable: true }),
  });
  await ids.start();
  const dataSource = new DataSource({ ...sqlite, entities: [OrderSchema], synchronize: true });
  attachSnowflake(dataSource, ids);
  await dataSource.initialize();
  const orders = dataSource.getRepository(OrderSchema);
  return {
    create: () => orders.save({ customerId: ids.nextId() }),
    find: (id) => orders.findOneBy({ id }),
    workerIdOf: (id) => ids.decode(id).workerId,
    workerId: () => ids.status().workerId,
    async close() {
      await dataSource.destroy();
      await ids.stop();
    },
  };
};
