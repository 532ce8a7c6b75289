import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ids } from './mikro-orm/ids.js';
import { snowflakeKey, snowflakeReference } from './mikro-orm/keys.js';

export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    id: p.type(snowflakeKey().type).primary().autoincrement(false).onCreate(ids.nextId),
    customerId: p.type(snowflakeReference().type),
    replacedBy: p.type(snowflakeReference().type).nullable(),
  },
});

export const key: InferEntity<typeof Order>['id'] = '1';
// @ts-expect-error a number can't hold an ID
export const rounded: InferEntity<typeof Order>['id'] = 1;
