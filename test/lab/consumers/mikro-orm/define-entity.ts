import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ids, snowflakeReference } from './ids.js';

const id = () => p.type(snowflakeReference().type);

export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: id().primary().autoincrement(false).onCreate(ids.nextId),
    customerId: id(),
    refundOf: id().nullable(),
  },
});

export const key: InferEntity<typeof Order>['id'] = '1';
