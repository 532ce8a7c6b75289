// Prints what a database does with the columns: node columns/run.mjs <drizzle-orm | drizzle-orm-rc> <pg | mysql | sqlite> <url> [type | driver]
import { LateIdMaker, SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { snowflakeType } from 'nestjs-snowflake/drizzle';
import process from 'node:process';

const [, , drizzlePackage, dialect, url, careless] = process.argv;
const { customType, pgTable, mysqlTable, sqliteTable } = await import(`${drizzlePackage}/${dialect}-core`);
const { asc, defineRelations, eq, relations, sql } = await import(drizzlePackage);
const table = { pg: pgTable, mysql: mysqlTable, sqlite: sqliteTable }[dialect];

/** Larger than a JavaScript number can hold. */
const CUSTOMER = '382475217496248323';
const ORDER = '382475217496248329';

// As people write them without the library.
const roundingType = { dataType: () => 'bigint', fromDriver: String };
const late = new LateIdMaker();
const snowflake = customType(careless === 'type' ? roundingType : snowflakeType(dialect));
const customers = table('customers', { id: snowflake('id').primaryKey().$defaultFn(late.nextId) });
const orders = table('orders', {
  id: snowflake('id').primaryKey().$defaultFn(late.nextId),
  customerId: snowflake('customer_id').notNull(),
});

async function clientOf() {
  if (dialect === 'pg') {
    const { Pool } = (await import('pg')).default;
    return new Pool({ connectionString: url });
  }
  if (dialect === 'sqlite') {
    const { createClient } = await import('@libsql/client');
    return createClient({ url, intMode: 'bigint' });
  }
  const { createPool } = await import('mysql2/promise');
  const exact = { supportBigNumbers: true, bigNumberStrings: true };
  return createPool({ uri: url.replace(/^mariadb:/, 'mysql:'), ...(careless === 'driver' ? {} : exact) });
}

async function databaseOf(client) {
  const driver = { pg: 'node-postgres', mysql: 'mysql2', sqlite: 'libsql' }[dialect];
  const { drizzle } = await import(`${drizzlePackage}/${driver}`);
  if (defineRelations) {
    const all = defineRelations({ customers, orders }, (r) => ({
      customers: { orders: r.many.orders() },
      orders: { customer: r.one.customers({ from: r.orders.customerId, to: r.customers.id }) },
    }));
    return drizzle({ client, relations: all });
  }
  // MariaDB has no LATERAL, which the other mode of mysql2 needs.
  const ofCustomers = relations(customers, ({ many }) => ({ orders: many(orders) }));
  const ofOrders = relations(orders, ({ one }) => ({
    customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
  }));
  return drizzle(client, { schema: { customers, orders, ofCustomers, ofOrders }, mode: 'planetscale' });
}

/** The code of the error that `work` ends with, or its message; `undefined` if it succeeds. */
async function refusalOf(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    for (let each = error; each; each = each.cause)
      if (each.code?.startsWith?.('SNOWFLAKE_')) return each.code;
    return String(error.cause?.message ?? error.message);
  }
}

const client = await clientOf();
const db = await databaseOf(client);
const run = (statement) => (dialect === 'sqlite' ? db.run(statement) : db.execute(statement));
const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
const isOurs = (id) => typeof id === 'string' && ids.decode(id).workerId === 7;
const printed = {};
try {
  await run(sql.raw('DROP TABLE IF EXISTS customers'));
  await run(sql.raw('DROP TABLE IF EXISTS orders'));
  await run(sql.raw('CREATE TABLE customers (id bigint PRIMARY KEY NOT NULL)'));
  await run(sql.raw('CREATE TABLE orders (id bigint PRIMARY KEY NOT NULL, customer_id bigint NOT NULL)'));
  printed.unbound = await refusalOf(async () => db.insert(orders).values({ customerId: CUSTOMER }));
  late.bind(ids);
  printed.withoutLease = await refusalOf(async () => db.insert(orders).values({ customerId: CUSTOMER }));
  await ids.start();

  await db.insert(orders).values({ customerId: CUSTOMER });
  await db.insert(orders).values(Array.from({ length: 500 }, () => ({ customerId: CUSTOMER })));
  await db.transaction((tx) => tx.insert(orders).values({ customerId: CUSTOMER }));
  const made = await db.select().from(orders).orderBy(asc(orders.id));
  printed.made = { rows: made.length, ours: made.filter(({ id }) => isOurs(id)).length };
  printed.exactReferences = made.every(({ customerId }) => customerId === CUSTOMER);

  await db.insert(customers).values({ id: CUSTOMER });
  await db.insert(orders).values({ id: ORDER, customerId: CUSTOMER });
  const [found] = await db.select().from(orders).where(eq(orders.id, ORDER));
  printed.found = found?.id === ORDER;
  const [joined] = await db
    .select()
    .from(customers)
    .innerJoin(orders, eq(orders.customerId, customers.id))
    .where(eq(orders.id, ORDER));
  printed.joined = joined?.orders.id === ORDER && joined.customers.id === CUSTOMER;
  const nested = () => db.query.customers.findFirst({ with: { orders: true } });
  printed.nested = (await refusalOf(nested)) ?? (await nested()).orders.some(({ id }) => id === ORDER);

  printed.rounded = await refusalOf(async () =>
    db.insert(orders).values({ id: Number(ORDER), customerId: CUSTOMER }),
  );
  printed.raw =
    (await refusalOf(() => run(sql.raw(`INSERT INTO orders (customer_id) VALUES (${CUSTOMER})`)))) !==
    undefined;
  if (dialect !== 'mysql') {
    await db
      .insert(orders)
      .values({ id: ORDER, customerId: '5' })
      .onConflictDoUpdate({ target: orders.id, set: { customerId: '5' } });
    const [returned] = await db.insert(orders).values({ customerId: CUSTOMER }).returning();
    printed.returned = isOurs(returned.id) && returned.customerId === CUSTOMER;
  }
} catch (error) {
  printed.failed = error.cause?.code ?? error.code ?? String(error.cause ?? error);
}
await ids.stop();
await (client.end?.() ?? client.close());
console.log(JSON.stringify(printed));
