import { MikroORM } from '@mikro-orm/libsql';
import { config, Order } from './mikro-orm.js';
import { CUSTOMER, refusalOf } from './session.js';

const orm = await MikroORM.init(config);
await orm.schema.createSchema();
const em = orm.em.fork();
const row = { customerId: CUSTOMER } as Order;
const refusals = [
  await refusalOf(em.insert(Order, row)),
  await refusalOf(em.insertMany(Order, [row])),
  await refusalOf(em.upsert(Order, row)),
  await refusalOf(em.upsertMany(Order, [row])),
  await refusalOf(em.createQueryBuilder(Order).insert(row).execute()),
];
await orm.close();
console.log(JSON.stringify(refusals));
