import { MikroORM } from '@mikro-orm/libsql';
import { config, Order } from './mikro-orm.js';
import { CUSTOMER, report } from './session.js';

await report(async () => {
  const orm = await MikroORM.init(config);
  await orm.schema.createSchema();
  const created = orm.em.fork().create(Order, { customerId: CUSTOMER });
  await orm.em.fork().persistAndFlush(created);
  const read = await orm.em.fork().findOneOrFail(Order, created.id);
  await orm.close();
  return { created: [created.id, created.customerId], read: [read.id, read.customerId] };
});
