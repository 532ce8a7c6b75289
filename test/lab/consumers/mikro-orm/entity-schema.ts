import { EntitySchema } from '@mikro-orm/core';
import { snowflakeKey, snowflakeReference } from './ids.js';

interface IOrder {
  id: string;
  customerId: string;
  refundOf?: string | null;
}

export const Order = new EntitySchema<IOrder>({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: snowflakeKey(),
    customerId: snowflakeReference(),
    refundOf: { ...snowflakeReference(), nullable: true },
  },
});
