import * as core from '@mikro-orm/core';
import { snowflakeProperties } from 'nestjs-snowflake/mikro-orm';
import { LateIdMaker } from 'nestjs-snowflake/standalone';

export const late = new LateIdMaker();

/** As people write them without the library. */
const handWritten = (options) => ({
  snowflakeKey: () => ({
    type: new core.BigIntType('string'),
    primary: true,
    onCreate: () => late.nextId(),
    ...options,
  }),
  snowflakeReference: () => ({ type: new core.BigIntType('string') }),
});

function propertiesOf(careless) {
  if (careless === 'autoincrement') return handWritten({});
  if (careless === 'type') return handWritten({ autoincrement: false });
  const { snowflakeKey, snowflakeReference } = snowflakeProperties(core, late);
  if (careless !== 'changed') return { snowflakeKey, snowflakeReference };
  return { snowflakeKey: () => ({ ...snowflakeKey(), autoincrement: undefined }), snowflakeReference };
}

const schema = (entity, properties) =>
  new core.EntitySchema({ class: entity, tableName: `${entity.name.toLowerCase()}s`, properties });

const children = (entity, mappedBy) => ({ kind: '1:m', entity: () => entity, mappedBy, cascade: ['all'] });

/** Customers with orders with lines. */
export function schemasOf(careless) {
  const { snowflakeKey, snowflakeReference } = propertiesOf(careless);
  class Customer {
    orders = new core.Collection(this);
  }
  class Order {
    lines = new core.Collection(this);
  }
  class Line {
    order;
  }
  const entities = [
    schema(Customer, {
      id: snowflakeKey(),
      name: { type: 'string', unique: true },
      referrerId: { ...snowflakeReference(), nullable: true },
      orders: children(Order, 'customer'),
    }),
    schema(Order, {
      id: snowflakeKey(),
      customer: { kind: 'm:1', entity: () => Customer },
      lines: children(Line, 'order'),
    }),
    schema(Line, { id: snowflakeKey(), order: { kind: 'm:1', entity: () => Order } }),
  ];
  return { entities, Customer, Order };
}
