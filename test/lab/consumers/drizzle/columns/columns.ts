import { customType as pgType, pgTable } from 'drizzle-orm/pg-core';
import { customType as mysqlType, mysqlTable } from 'drizzle-orm/mysql-core';
import { customType as sqliteType, sqliteTable } from 'drizzle-orm/sqlite-core';
import { snowflakeType, type SnowflakeType } from 'nestjs-snowflake/drizzle';
import { LateIdMaker } from 'nestjs-snowflake/standalone';

const ids = new LateIdMaker();
const pg = pgType<SnowflakeType>(snowflakeType('pg'));
const mysql = mysqlType<SnowflakeType>(snowflakeType('mysql'));
const sqlite = sqliteType<SnowflakeType>(snowflakeType('sqlite'));

const ofPg = pgTable('orders', {
  id: pg('id').primaryKey().$defaultFn(ids.nextId),
  customerId: pg('customer_id').notNull(),
});
const ofMysql = mysqlTable('orders', {
  id: mysql('id').primaryKey().$defaultFn(ids.nextId),
  customerId: mysql('customer_id').notNull(),
});
const ofSqlite = sqliteTable('orders', {
  id: sqlite('id').primaryKey().$defaultFn(ids.nextId),
  customerId: sqlite('customer_id').notNull(),
});

export const inserted: [typeof ofPg.$inferInsert, typeof ofMysql.$inferInsert, typeof ofSqlite.$inferInsert] =
  [{ customerId: '1' }, { customerId: '1' }, { id: '2', customerId: '1' }];
export const read: [typeof ofPg.$inferSelect, typeof ofMysql.$inferSelect, typeof ofSqlite.$inferSelect] = [
  { id: '1', customerId: '2' },
  { id: '1', customerId: '2' },
  { id: '1', customerId: '2' },
];
// @ts-expect-error a number can't hold an ID
export const rounded: typeof ofPg.$inferInsert = { customerId: 1 };
