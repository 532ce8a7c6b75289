import { customType, sqliteTable } from 'drizzle-orm/sqlite-core';
import { snowflakeType, type SnowflakeType } from 'nestjs-snowflake/drizzle';
import { ids } from './ids.js';

const snowflake = customType<SnowflakeType>(snowflakeType('sqlite'));

export const orders = sqliteTable('orders', {
  id: snowflake('id').primaryKey().$defaultFn(ids.nextId),
  customerId: snowflake('customer_id').notNull(),
});

export type Order = typeof orders.$inferSelect;
export type NewOrder = typeof orders.$inferInsert;
