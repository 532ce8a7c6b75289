// Prints what the app of the page stores: DATABASE_URL=… node nest.mjs
import { MikroORM } from '@mikro-orm/core';
import { NestFactory } from '@nestjs/core';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { fakeIdMaker } from 'nestjs-snowflake/testing';
import { AppModule } from './mikro-orm/app.module.js';
import { ids } from './mikro-orm/ids.js';
import { Order } from './mikro-orm/order.entity.js';

const CUSTOMER = '382475217496248323';

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const orm = app.get(MikroORM);
await orm.schema.refresh();
const store = async () => {
  const em = orm.em.fork();
  const order = em.create(Order, { customerId: CUSTOMER });
  await em.flush();
  return orm.em.fork().findOneOrFail(Order, order.id);
};
const { id, customerId } = await store();
const age = Date.now() - app.get(SnowflakeIdMaker).decode(id).timestamp;
ids.bind(fakeIdMaker({ start: 1001 }));
const faked = await store();
await app.close();
console.log(
  JSON.stringify({ isNew: Math.abs(age) < 60_000, isExact: customerId === CUSTOMER, faked: faked.id }),
);
