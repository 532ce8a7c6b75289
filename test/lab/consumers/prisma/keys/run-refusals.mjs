// Prints what is refused, and by which code: node run-refusals.mjs <provider> <url>
import { snowflakeIds, verifySnowflakePrisma } from 'nestjs-snowflake/prisma';
import { LateIdMaker, SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { createTables, open, PROVIDER, quotedBy, refusalOf, URL_OF_DATABASE } from './database.mjs';

const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
await ids.start();
const { client, models, extend } = await open(PROVIDER, URL_OF_DATABASE);
const db = extend(ids);
await createTables(client, PROVIDER);
const quoted = quotedBy(PROVIDER);

/** Of another row than the one that was meant. */
const ROUNDED = Number('382475217496248329');
const refusals = async (works) =>
  Object.fromEntries(
    await Promise.all(Object.entries(works).map(async ([name, work]) => [name, await refusalOf(work)])),
  );

const values = await refusals({
  'rounded key': () => db.order.create({ data: { id: ROUNDED, note: 'a' } }),
  'rounded key of many': () => db.order.createMany({ data: [{ note: 'a' }, { id: ROUNDED, note: 'a' }] }),
  'rounded nested key': () =>
    db.order.create({ data: { note: 'a', lines: { create: [{ id: ROUNDED, sku: 'a' }] } } }),
  'rounded reference': () => db.order.create({ data: { note: 'a', customerId: ROUNDED } }),
  'rounded reference of an update': () => db.order.updateMany({ data: { customerId: { set: ROUNDED } } }),
  'rounded condition': () => db.order.deleteMany({ where: { OR: [{ id: { in: [ROUNDED] } }] } }),
  'rounded condition of a relation': () => db.order.findMany({ where: { lines: { some: { id: ROUNDED } } } }),
  'rounded connect': () => db.order.create({ data: { note: 'a', customer: { connect: { id: ROUNDED } } } }),
  'rounded cursor': () => db.order.findMany({ cursor: { id: ROUNDED } }),
  'not a number': () => db.order.create({ data: { id: 'abc', note: 'a' } }),
  'negative number': () => db.order.create({ data: { id: -1n, note: 'a' } }),
  'number of 64 bits': () => db.order.create({ data: { id: 2n ** 63n, note: 'a' } }),
  'unbound maker': () => extend(new LateIdMaker()).order.create({ data: { note: 'a' } }),
  'stopped maker': async () => {
    const stopped = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 8 }) });
    await stopped.start();
    await stopped.stop();
    await extend(stopped).order.create({ data: { note: 'a' } });
  },
});
const rows = await db.order.count();

const around = await refusals({
  create: () => client.order.create({ data: { note: 'a' } }),
  createMany: () => client.order.createMany({ data: [{ note: 'a' }] }),
  'nested create': () =>
    client.order.create({ data: { id: 1n, note: 'a', lines: { create: { sku: 'a' } } } }),
  'raw SQL': () => client.$executeRawUnsafe(`INSERT INTO orders (note) VALUES ('a')`),
});
const careless = (await client.careless.create({ data: { note: 'a' } })).id.toString();

await client.$executeRawUnsafe('INSERT INTO olds (id) VALUES (5)');
const old = { small: (await client.old.findFirst()).id };
await client.$executeRawUnsafe('INSERT INTO olds (id) VALUES (382475217496248329)');
old.large = await refusalOf(() => client.old.findMany());

const seen = { by: [] };
const spy = {
  query: { order: { create: ({ args, query }) => (seen.by.push(args.data.id !== undefined), query(args)) } },
};
await db.$extends(spy).order.create({ data: { note: 'a' } });
const spied = client.$extends(spy);
const order = await refusals({ second: () => spied.$extends(snowflakeIds(ids, models)) });
// As if the extension didn't check that it is the first.
const unchecked = snowflakeIds(ids, models)(Object.create(spied, { $on: { value: () => undefined } }));
await unchecked.order.create({ data: { note: 'a' } });

// As if the generator marked a key that is part of a relation.
const marked = { ...models.models.Address, keys: { customerId: 'customer_id' } };
const withoutRelations = extend(ids, { ...models, models: { ...models.models, Address: marked } });
const relationKey = await refusals({
  kept: () => db.customer.create({ data: { name: 'kept', address: { create: { city: 'a' } } } }),
  marked: () =>
    withoutRelations.customer.create({ data: { name: 'marked', address: { create: { city: 'a' } } } }),
});

const verified = { fit: await refusalOf(() => verifySnowflakePrisma(db)) };
verified.later = await refusalOf(() => verifySnowflakePrisma(db.$extends(spy)));
verified.unextended = await refusalOf(() => verifySnowflakePrisma(client));
if (PROVIDER === 'sqlite') {
  const rounding = await open(PROVIDER, URL_OF_DATABASE, 'number');
  verified.driver = await refusalOf(() => verifySnowflakePrisma(rounding.extend(ids)));
  await rounding.client.$disconnect();
}
async function verifyWith(columns) {
  await client.$executeRawUnsafe(`DROP TABLE ${quoted('parts')}`);
  await client.$executeRawUnsafe(
    `CREATE TABLE ${quoted('parts')} (${columns}, name VARCHAR(9), line_id BIGINT)`,
  );
  return refusalOf(() => verifySnowflakePrisma(db));
}
verified.default = await verifyWith('id BIGINT NOT NULL DEFAULT 0 PRIMARY KEY');
verified.type = await verifyWith('id INTEGER NOT NULL PRIMARY KEY');
const counting = { postgresql: 'BIGSERIAL', mysql: 'BIGINT AUTO_INCREMENT', sqlite: 'INTEGER' };
verified.counting = await verifyWith(`id ${counting[PROVIDER]} PRIMARY KEY`);
if (PROVIDER === 'postgresql') {
  verified.identity = await verifyWith('id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY');
  // An adapter can have a schema that the search path doesn't find.
  await client.$executeRawUnsafe('CREATE SCHEMA shop');
  await client.$executeRawUnsafe('ALTER TABLE parts SET SCHEMA shop');
  verified.elsewhere = await refusalOf(() => verifySnowflakePrisma(db));
  verified.schema = await refusalOf(() => verifySnowflakePrisma(db, { schema: 'shop' }));
  // Two schemas can have tables of the same name, of which only one has a default.
  await client.$executeRawUnsafe('CREATE TABLE parts (id BIGINT NOT NULL PRIMARY KEY, line_id BIGINT)');
  const { Part } = models.models;
  const twins = { Part: { ...Part, schema: 'shop' }, Twin: { ...Part, schema: 'public' } };
  verified.twins = await refusalOf(() => verifySnowflakePrisma(extend(ids, { ...models, models: twins })));
}

await client.$disconnect();
await ids.stop();
console.log(
  JSON.stringify({ values, rows, around, careless, old, seenBy: seen.by, order, relationKey, verified }),
);
