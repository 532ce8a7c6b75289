import { EntitySchema } from '@mikro-orm/core';
import { snowflakeKey, snowflakeReference } from './mikro-orm/keys.js';

interface IOrder {
  id: string;
  customerId: string;
  replacedBy?: string | null;
}

export const Order = new EntitySchema<IOrder>({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: snowflakeKey(),
    customerId: snowflakeReference(),
    replacedBy: { ...snowflakeReference(), nullable: true },
  },
});
