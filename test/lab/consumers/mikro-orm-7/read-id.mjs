import { BigIntType, EntitySchema, MikroORM } from '@mikro-orm/libsql';

let wasCalled = false;
const afterCreate = (connection, created) => {
  wasCalled = true;
  created(null, connection.defaultSafeIntegers(true));
};
const id = { type: new BigIntType('string'), primary: true, autoincrement: false };
const Order = new EntitySchema({ name: 'Order', properties: { id } });
const orm = await MikroORM.init({
  dbName: ':memory:',
  entities: [Order],
  driverOptions: { pool: { afterCreate } },
});
await orm.schema.create();
await orm.em.fork().insert(Order, { id: '382475217496248323' });
const [order] = await orm.em.fork().find(Order, {});
await orm.close();
console.log(JSON.stringify({ wasCalled, id: order.id }));
