import { eq, relations } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/libsql';
import { sqliteTable } from 'drizzle-orm/sqlite-core';
import { db as recipe, orders, snowflake } from './drizzle.js';
import { CUSTOMER, refusalOf, TABLE } from './session.js';

const ORDER = '382475217496248329';

const customers = sqliteTable('customers', { id: snowflake('id').primaryKey() });
const ofCustomers = relations(customers, ({ many }) => ({ orders: many(orders) }));
const ofOrders = relations(orders, ({ one }) => ({
  customer: one(customers, { fields: [orders.customerId], references: [customers.id] }),
}));
const db = drizzle(recipe.$client, { schema: { customers, orders, ofCustomers, ofOrders } });

await db.run(TABLE);
await db.run('CREATE TABLE customers (id bigint PRIMARY KEY NOT NULL)');
await db.insert(customers).values({ id: CUSTOMER });
await db.insert(orders).values({ id: ORDER, customerId: CUSTOMER });
const [joined] = await db.select().from(customers).innerJoin(orders, eq(orders.customerId, customers.id));
const nested = await refusalOf(db.query.customers.findFirst({ with: { orders: true } }));
console.log(JSON.stringify({ joined: joined?.orders.id === ORDER, nested }));
