import knex, { type Knex } from 'knex';
import { createOrder, createOrdersTable, withIds } from './knex.js';
import { mysql2Connection } from './mysql2-connection.js';
import {
  databaseName,
  GIVEN,
  printOutcomes,
  withDriverDefaults,
  type DatabaseName,
  type WritePath,
} from './outcomes.js';

const CONFIGS: Record<DatabaseName, () => Knex.Config> = {
  postgres: () => ({ client: 'pg', connection: process.env.DATABASE_URL }),
  mariadb: () => ({ client: 'mysql2', connection: mysql2Connection() }),
  sqlite: () => ({
    client: 'better-sqlite3',
    connection: { filename: process.env.DATABASE_FILE!, options: { safeIntegers: !withDriverDefaults } },
    useNullAsDefault: true,
  }),
};

const db = knex(CONFIGS[databaseName]());
await db.schema.dropTableIfExists('orders');
await createOrdersTable(db);

const text = databaseName === 'mariadb' ? 'char' : 'text';
const orders = () => db('orders');

const paths: Record<string, WritePath> = {
  'one row': (customerId) => createOrder(db, customerId),
  '500 rows': (customerId) =>
    orders().insert(withIds(Array.from({ length: 500 }, () => ({ customer_id: customerId })))),
  batchInsert: (customerId) => db.batchInsert('orders', withIds([{ customer_id: customerId }])),
  'a row with an ID and one without': async (customerId) => {
    await orders().delete();
    await orders().insert(withIds([{ id: GIVEN, customer_id: customerId }, { customer_id: customerId }]));
  },
  'rows whose ID is undefined or null': (customerId) =>
    orders().insert(
      withIds([
        { id: undefined, customer_id: customerId },
        { id: null, customer_id: customerId },
      ]),
    ),
  'a transaction': (customerId) =>
    db.transaction((tx) => tx('orders').insert(withIds([{ customer_id: customerId }]))),
  'an upsert of an existing row': (customerId) =>
    orders().insert({ id: GIVEN, customer_id: customerId }).onConflict('id').merge(['customer_id']),
  'without withIds': (customerId) => orders().insert({ customer_id: customerId }),
  'rows of which one has an ID, without withIds': (customerId) =>
    orders().insert([{ id: '1', customer_id: customerId }, { customer_id: customerId }]),
  'onConflict().ignore(), without withIds': (customerId) =>
    orders().insert({ customer_id: customerId }).onConflict().ignore(),
  'insert from select': (customerId) =>
    db.into(db.raw('orders (customer_id)')).insert(orders().select(db.raw('?', [customerId]))),
  'raw SQL': (customerId) => db.raw('INSERT INTO orders (customer_id) VALUES (?)', [customerId]),
};

await printOutcomes(
  {
    async reset() {
      await orders().delete();
      await orders().insert({ id: GIVEN, customer_id: GIVEN });
    },
    read: () => orders().select('id', 'customer_id as customerId'),
    readText: () =>
      orders().select(
        db.raw(`CAST(id AS ${text}) AS id`),
        db.raw(`CAST(customer_id AS ${text}) AS ??`, ['customerId']),
      ),
  },
  paths,
);
await db.destroy();
