import { MysqlDialect, PostgresDialect, type RawBuilder, sql, SqliteDialect, type Dialect } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import Database from 'libsql';
import { createPool } from 'mysql2';
import pg from 'pg';
import { connect } from './kysely.js';
import { mysql2Connection } from './mysql2-connection.js';
import {
  databaseName,
  GIVEN,
  printOutcomes,
  withDriverDefaults,
  type DatabaseName,
  type WritePath,
} from './outcomes.js';

const DIALECTS: Record<DatabaseName, () => Dialect> = {
  postgres: () => new PostgresDialect({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }) }),
  mariadb: () => new MysqlDialect({ pool: createPool(mysql2Connection()) }),
  sqlite: () =>
    new SqliteDialect({
      database: new Database(process.env.DATABASE_FILE!).defaultSafeIntegers(!withDriverDefaults),
    }),
};

const db = connect(DIALECTS[databaseName]());
await sql`DROP TABLE IF EXISTS orders`.execute(db);
await db.schema
  .createTable('orders')
  .addColumn('id', 'bigint', (column) => column.primaryKey().notNull())
  .addColumn('customer_id', 'bigint', (column) => column.notNull())
  .execute();

const text = sql.raw(databaseName === 'mariadb' ? 'char' : 'text');
const insert = (customerId: string) => db.insertInto('orders').values({ customer_id: customerId });

const everywhere: Record<string, WritePath> = {
  'one row': (customerId) => insert(customerId).execute(),
  '500 rows': (customerId) =>
    db
      .insertInto('orders')
      .values(Array.from({ length: 500 }, () => ({ customer_id: customerId })))
      .execute(),
  'a row with an ID and one without': async (customerId) => {
    await db.deleteFrom('orders').execute();
    const rows = [{ id: GIVEN, customer_id: customerId }, { customer_id: customerId }];
    await db.insertInto('orders').values(rows).execute();
  },
  'a value that is an expression': (customerId) =>
    db
      .insertInto('orders')
      .values({ customer_id: sql<string>`${customerId}` })
      .execute(),
  'a transaction': (customerId) =>
    db.transaction().execute((tx) => tx.insertInto('orders').values({ customer_id: customerId }).execute()),
  'an upsert of an existing row': (customerId) => {
    const row = db.insertInto('orders').values({ id: GIVEN, customer_id: customerId });
    return databaseName === 'mariadb'
      ? row.onDuplicateKeyUpdate({ customer_id: customerId }).execute()
      : row
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ customer_id: customerId }))
          .execute();
  },
  'insert from select': (customerId) =>
    db
      .insertInto('orders')
      .columns(['customer_id'])
      .expression(db.selectFrom('orders').select(sql<string>`${customerId}`.as('customer_id')))
      .execute(),
  'default values': () => db.insertInto('orders').defaultValues().execute(),
  'raw SQL': (customerId) => sql`INSERT INTO orders (customer_id) VALUES (${customerId})`.execute(db),
};

const exceptOnMariaDb: Record<string, WritePath> = {
  returning: async (customerId) => (await insert(customerId).returning('id').executeTakeFirst())?.id,
};

const onPostgres: Record<string, WritePath> = {
  'an insert in a WITH': (customerId) =>
    db
      .with('made', (cte) => cte.insertInto('orders').values({ customer_id: customerId }).returning('id'))
      .selectFrom('made')
      .selectAll()
      .execute(),
  merge: (customerId) =>
    db
      .mergeInto('orders')
      .using(sql<{ made: string }>`(SELECT ${customerId}::bigint AS made)`.as('source'), (join) =>
        join.onRef('source.made', '=', 'orders.id'),
      )
      .whenNotMatched()
      .thenInsertValues({ customer_id: customerId })
      .execute(),
  'reads as nested JSON': (customerId) => nestedId(customerId, sql.ref('id')),
  'reads as nested JSON, cast to text': (customerId) => nestedId(customerId, sql`id::text`),
};

/** Of the row with the ID that a number can't hold, since it can hold the first ID of a millisecond. */
async function nestedId(customerId: string, id: RawBuilder<unknown>): Promise<unknown> {
  await db.updateTable('orders').set({ customer_id: customerId }).execute();
  const orders = db.selectFrom('orders').select(id.as('id')).where('customer_id', '=', customerId);
  const row = await db.selectNoFrom(jsonArrayFrom(orders).as('orders')).executeTakeFirstOrThrow();
  return row.orders[0]?.id;
}

await printOutcomes(
  {
    async reset() {
      await db.deleteFrom('orders').execute();
      await db.insertInto('orders').values({ id: GIVEN, customer_id: GIVEN }).execute();
    },
    async read() {
      const rows = await db.selectFrom('orders').selectAll().execute();
      return rows.map(({ id, customer_id: customerId }) => ({ id, customerId }));
    },
    async readText() {
      const { rows } = await sql<{ id: string; customer: string }>`
        SELECT CAST(id AS ${text}) AS id, CAST(customer_id AS ${text}) AS customer FROM orders`.execute(db);
      return rows.map(({ id, customer }) => ({ id, customerId: customer }));
    },
  },
  {
    ...everywhere,
    ...(databaseName === 'mariadb' ? {} : exceptOnMariaDb),
    ...(databaseName === 'postgres' ? onPostgres : {}),
  },
);
await db.destroy();
