// Prints what an entity stores and reads, however it is declared: node declared.mjs <file of the entity> <database file>
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { verifySnowflakeOrm } from 'nestjs-snowflake/mikro-orm';
import process from 'node:process';
import { connect } from './database.mjs';

const [, , file, url] = process.argv;
const CUSTOMER = '382475217496248323';

const { Order } = await import(file);
const { ids: late } = await import('./mikro-orm/ids.js');
const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
await ids.start();
late.bind(ids);
const orm = await connect('libsql', url, [Order]);
await verifySnowflakeOrm(orm);
const em = orm.em.fork();
const order = em.create(Order, { customerId: CUSTOMER });
await em.flush();
const { id, customerId, replacedBy } = await orm.em.fork().findOneOrFail(Order, order.id);
const columns = await orm.em.getConnection().execute("SELECT type FROM pragma_table_info('orders')");
await ids.stop();
await orm.close();
console.log(
  JSON.stringify({
    isOurs: ids.decode(id).workerId === 7,
    isExact: customerId === CUSTOMER && (replacedBy ?? null) === null,
    columns: columns.map(({ type }) => type),
  }),
);
