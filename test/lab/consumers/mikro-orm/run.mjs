// Prints what a database does with the keys: node run.mjs <postgresql | mariadb | libsql> <url> [autoincrement | type | changed] [driver]
import { raw } from '@mikro-orm/core';
import { verifySnowflakeOrm } from 'nestjs-snowflake/mikro-orm';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import process from 'node:process';
import { connect } from './database.mjs';
import { late, schemasOf } from './schemas.mjs';

const [, , dialect, url, ...careless] = process.argv;

/** Larger than a JavaScript number can hold. */
const CUSTOMER = '382475217496248323';
const OTHER = '382475217496248329';

const { entities, Customer, Order } = schemasOf(careless[0]);
const orm = await connect(dialect, url, entities, !careless.includes('driver'));
const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
const isOurs = (id) => typeof id === 'string' && BigInt(id) > 1000n && ids.decode(id).workerId === 7;

/** The code of the error that `work` ends with, or 'refused'; `undefined` if it succeeds. */
async function refusalOf(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    for (let each = error; each; each = each.cause)
      if (each.code?.startsWith?.('SNOWFLAKE_')) return each.code;
    return 'refused';
  }
}

/** Writes customers of this name, and returns whether their IDs are of the maker. */
async function write(name, work) {
  const refused = await refusalOf(() => work(orm.em.fork(), name));
  if (refused) return refused;
  const sql = `SELECT CAST(id AS CHAR(20)) AS id FROM customers WHERE name LIKE '${name}%'`;
  const rows = await orm.em.getConnection().execute(sql);
  if (rows.length === 0) return 'nothing';
  const keys = rows.map(({ id }) => String(id).trim());
  return keys.every(isOurs) ? 'ID' : keys.join();
}

// Those that get no ID come first: a sequence of SQLite continues after the largest key.
const WRITES = {
  'em.insert': (em, name) => em.insert(Customer, { name }),
  'em.insertMany': (em, name) => em.insertMany(Customer, [{ name: `${name}1` }, { name: `${name}2` }]),
  'qb.insert': (em, name) => em.createQueryBuilder(Customer).insert({ name }).execute(),
  raw: (em, name) => em.getConnection().execute(`INSERT INTO customers (name) VALUES ('${name}')`),
  'em.create': (em, name) => (em.create(Customer, { name }), em.flush()),
  new: (em, name) => em.persist(Object.assign(new Customer(), { name })).flush(),
  'em.upsert': (em, name) => em.upsert(Customer, { name }),
  'em.upsertMany': (em, name) => em.upsertMany(Customer, [{ name: `${name}1` }, { name: `${name}2` }]),
};

/** Whether the key of a row survives each kind of upsert. */
async function keptByUpserts() {
  const kept = {};
  for (const way of ['em.upsert', 'em.upsertMany']) {
    const name = `kept by ${way}`;
    await orm.em.fork().insert(Customer, { id: ids.nextId(), name });
    const before = await orm.em.fork().findOneOrFail(Customer, { name });
    const data = { name, referrerId: CUSTOMER };
    const refused = await refusalOf(() =>
      way === 'em.upsert' ? orm.em.fork().upsert(Customer, data) : orm.em.fork().upsertMany(Customer, [data]),
    );
    const after = await orm.em.fork().findOneOrFail(Customer, { name });
    kept[way] = refused ?? (before.id === after.id ? 'kept' : 'changed');
  }
  return kept;
}

async function cascade() {
  const em = orm.em.fork();
  const customer = em.create(Customer, { name: 'cascade', orders: [{ lines: [{}, {}] }, { lines: [{}] }] });
  const atOnce = isOurs(customer.id);
  await em.flush();
  const found = await orm.em.fork().findOneOrFail(Customer, customer.id, { populate: ['orders.lines'] });
  const orders = found.orders.getItems();
  const keys = [found, ...orders, ...orders.flatMap(({ lines }) => lines.getItems())].map(({ id }) => id);
  return { atOnce, rows: keys.length, ours: keys.filter(isOurs).length };
}

async function retry() {
  const em = orm.em.fork();
  await em.fork().insert(Customer, { id: ids.nextId(), name: 'taken' });
  const customer = em.create(Customer, { name: 'taken' });
  const refused = await refusalOf(() => em.flush());
  const { id } = customer;
  customer.name = 'free';
  await em.persist(customer).flush();
  const stored = await orm.em.fork().findOneOrFail(Customer, { name: 'free' });
  return refused !== undefined && isOurs(id) && stored.id === id;
}

/** Returns the last customer up to one. */
async function pageWith(strategy) {
  const page = { populate: ['orders'], strategy, orderBy: { id: 'desc' }, limit: 1 };
  return (await orm.em.fork().find(Customer, { id: { $lte: CUSTOMER } }, page))[0] ?? {};
}

async function reads() {
  const em = orm.em.fork();
  em.create(Customer, { id: CUSTOMER, name: 'explicit', referrerId: OTHER, orders: [{ id: OTHER }] });
  await em.flush();
  const ways = {
    byId: () => orm.em.fork().findOneOrFail(Customer, CUSTOMER),
    joined: () =>
      orm.em.fork().findOneOrFail(Customer, CUSTOMER, { populate: ['orders'], strategy: 'joined' }),
    selectIn: () =>
      orm.em.fork().findOneOrFail(Customer, CUSTOMER, { populate: ['orders'], strategy: 'select-in' }),
    byIds: () => orm.em.fork().findOneOrFail(Customer, { id: { $in: [CUSTOMER] } }, { populate: ['orders'] }),
    byRaw: async () =>
      (await orm.em.fork().find(Customer, { id: raw(CUSTOMER) }, { populate: ['orders'] }))[0],
    pagedJoined: () => pageWith('joined'),
    pagedSelectIn: () => pageWith('select-in'),
    upserted: () => orm.em.fork().upsert(Customer, { id: CUSTOMER, name: 'explicit' }),
    byRelation: async () =>
      (await orm.em.fork().findOneOrFail(Order, { customer: CUSTOMER }, { populate: ['customer'] })).customer,
  };
  const read = {};
  for (const [way, find] of Object.entries(ways)) {
    read[way] =
      (await refusalOf(async () => {
        const { id, referrerId, orders } = JSON.parse(JSON.stringify(await find()));
        read[way] = id === CUSTOMER && referrerId === OTHER && [OTHER, undefined].includes(orders?.[0]?.id);
      })) ?? read[way];
  }
  return read;
}

async function roundedNumbers() {
  const em = orm.em.fork();
  return {
    written: await refusalOf(() => (em.create(Customer, { id: Number(OTHER), name: 'r1' }), em.flush())),
    inserted: await refusalOf(() => orm.em.fork().insert(Customer, { id: Number(OTHER), name: 'r2' })),
    referred: await refusalOf(() =>
      orm.em.fork().insert(Customer, { id: '77', referrerId: Number(OTHER), name: 'r3' }),
    ),
    asked: await refusalOf(() => orm.em.fork().findOne(Customer, { id: Number(OTHER) })),
  };
}

const printed = { verified: (await refusalOf(() => verifySnowflakeOrm(orm))) ?? true };
try {
  printed.unbound = await refusalOf(() => WRITES['em.create'](orm.em.fork(), 'unbound'));
  late.bind(ids);
  printed.withoutLease = await refusalOf(() => WRITES['em.create'](orm.em.fork(), 'no lease'));
  await ids.start();
  printed.writes = {};
  for (const [name, work] of Object.entries(WRITES)) printed.writes[name] = await write(name, work);
  printed.kept = await keptByUpserts();
  printed.reads = await reads();
  printed.counted = await orm.em.fork().count(Customer, { id: CUSTOMER });
  printed.rounded = await roundedNumbers();
  printed.cascade = await cascade();
  printed.retryKeepsId = await retry();
} catch (error) {
  printed.failed = error.code ?? String(error);
}
await ids.stop();
await orm.close();
console.log(JSON.stringify(printed));
