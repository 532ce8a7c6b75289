// The ways to write rows with Prisma. Each returns the IDs that must be new, and throws if a row is not as it should be.
import assert from 'node:assert/strict';

/** More rows than the parameters of one statement hold. */
const MANY = 2000;
const given = { next: 1n };
const explicitId = () => given.next++;
let names = 0;
const fresh = () => `name ${++names}`;
const withProfile = (bio) => ({ profile: { upsert: { create: { bio }, update: { bio } } } });
const idsOf = (rows) => rows.map(({ id }) => id);

/** Names of the databases that lack a way. */
export const MISSING = {
  'createMany with skipDuplicates': ['sqlite'],
  'nested createMany with skipDuplicates': ['sqlite'],
  createManyAndReturn: ['mysql'],
};

export const SHAPES = {
  create: async (db) => idsOf([await db.order.create({ data: { note: 'a' } })]),
  'create with the key of a relation': async (db) => {
    const customer = await db.customer.create({ data: { name: fresh() } });
    const order = await db.order.create({ data: { note: 'a', customerId: customer.id } });
    assert.equal(order.customerId, customer.id);
    return idsOf([customer, order]);
  },
  createMany: async (db) => {
    const note = fresh();
    const { count } = await db.order.createMany({ data: Array.from({ length: MANY }, () => ({ note })) });
    assert.equal(count, MANY);
    return idsOf(await db.order.findMany({ where: { note } }));
  },
  'createMany with skipDuplicates': async (db) => {
    const name = fresh();
    const before = await db.tag.create({ data: { name } });
    await db.tag.createMany({ data: [{ name }, { name: `${name}b` }], skipDuplicates: true });
    assert.equal((await db.tag.findUniqueOrThrow({ where: { name } })).id, before.id);
    return idsOf(await db.tag.findMany({ where: { name: { startsWith: name } } }));
  },
  createManyAndReturn: async (db) =>
    idsOf(await db.order.createManyAndReturn({ data: [{ note: 'a' }, { note: 'b' }] })),
  'upsert of a new row': async (db) => {
    const name = fresh();
    return idsOf([await db.tag.upsert({ where: { name }, create: { name }, update: {} })]);
  },
  'upsert of a row that exists': async (db) => {
    const name = fresh();
    const { id } = await db.tag.create({ data: { name } });
    const tag = await db.tag.upsert({ where: { name }, create: { name }, update: { name: `${name}b` } });
    assert.deepEqual(tag, { id, name: `${name}b` });
    return [id];
  },
  'nested create': async (db) => {
    const order = await db.order.create({
      data: { note: 'a', lines: { create: { sku: 'b' } } },
      include: { lines: true },
    });
    assert.equal(order.lines.length, 1);
    return idsOf([order, ...order.lines]);
  },
  'nested create of several rows': async (db) => {
    const lines = { create: [{ sku: 'a' }, { sku: 'b' }] };
    const order = await db.order.create({ data: { note: 'a', lines }, include: { lines: true } });
    assert.equal(order.lines.length, 2);
    return idsOf([order, ...order.lines]);
  },
  'nested create over four levels': async (db) => {
    const lines = { create: [{ sku: 'a', parts: { create: [{ name: 'b' }, { name: 'c' }] } }] };
    const customer = await db.customer.create({
      data: { name: fresh(), orders: { create: { note: 'a', lines } } },
      include: { orders: { include: { lines: { include: { parts: true } } } } },
    });
    const [order] = customer.orders;
    const [line] = order.lines;
    assert.equal(line.parts.length, 2);
    assert.ok(customer.id < order.id && order.id < line.id && line.id < line.parts[0].id);
    return idsOf([customer, order, line, ...line.parts]);
  },
  'nested create of the parent': async (db) => {
    const customer = { create: { name: fresh(), profile: { create: { bio: 'a' } } } };
    const include = { customer: { include: { profile: true } } };
    const order = await db.order.create({ data: { note: 'a', customer }, include });
    return idsOf([order, order.customer, order.customer.profile]);
  },
  'nested create of the same model': async (db) => {
    const children = { create: [{ name: fresh(), children: { create: { name: fresh() } } }] };
    const include = { children: { include: { children: true } } };
    const parent = await db.customer.create({ data: { name: fresh(), children }, include });
    return idsOf([parent, ...parent.children, ...parent.children[0].children]);
  },
  'nested create of a row whose key is that of its parent': async (db) => {
    const customer = await db.customer.create({
      data: { name: fresh(), address: { create: { city: 'a' } } },
      include: { address: true },
    });
    assert.equal(customer.address.customerId, customer.id);
    return [customer.id];
  },
  'nested createMany': async (db) => {
    const lines = { createMany: { data: [{ sku: 'a' }, { sku: 'b' }] } };
    const order = await db.order.create({ data: { note: 'a', lines }, include: { lines: true } });
    assert.equal(order.lines.length, 2);
    return idsOf([order, ...order.lines]);
  },
  'nested createMany with skipDuplicates': async (db) => {
    const lines = { createMany: { data: [{ sku: 'a' }], skipDuplicates: true } };
    const order = await db.order.create({ data: { note: 'a', lines }, include: { lines: true } });
    assert.equal(order.lines.length, 1);
    return idsOf(order.lines);
  },
  'connectOrCreate of a new row': async (db) => {
    const name = fresh();
    const customer = { connectOrCreate: { where: { name }, create: { name } } };
    const order = await db.order.create({ data: { note: 'a', customer }, include: { customer: true } });
    return idsOf([order, order.customer]);
  },
  'connectOrCreate of a row that exists': async (db) => {
    const name = fresh();
    const before = await db.customer.create({ data: { name } });
    const customer = { connectOrCreate: { where: { name }, create: { name } } };
    const order = await db.order.create({ data: { note: 'a', customer } });
    assert.equal(order.customerId, before.id);
    return [order.id];
  },
  'connectOrCreate of several rows, many to many': async (db) => {
    const tags = {
      connectOrCreate: [fresh(), fresh()].map((name) => ({ where: { name }, create: { name } })),
    };
    const order = await db.order.create({ data: { note: 'a', tags }, include: { tags: true } });
    assert.equal(order.tags.length, 2);
    return idsOf(order.tags);
  },
  'nested create, many to many': async (db) => {
    const tags = { create: [{ name: fresh() }, { name: fresh() }] };
    const order = await db.order.create({ data: { note: 'a', tags }, include: { tags: true } });
    assert.equal(order.tags.length, 2);
    return idsOf([order, ...order.tags]);
  },
  'update with a nested create': async (db) => {
    const { id } = await db.order.create({ data: { note: 'a' } });
    const data = { lines: { create: { sku: 'a', parts: { create: { name: 'b' } } } } };
    const { lines } = await db.order.update({
      where: { id },
      data,
      include: { lines: { include: { parts: true } } },
    });
    return idsOf([...lines, ...lines[0].parts]);
  },
  'update with a nested createMany': async (db) => {
    const { id } = await db.order.create({ data: { note: 'a' } });
    const data = { lines: { createMany: { data: [{ sku: 'a' }] } } };
    return idsOf((await db.order.update({ where: { id }, data, include: { lines: true } })).lines);
  },
  'update with a nested upsert of several rows': async (db) => {
    const { id, lines: before } = await db.order.create({
      data: { note: 'a', lines: { create: { sku: 'a' } } },
      include: { lines: true },
    });
    const upsert = [
      {
        where: { id: before[0].id },
        create: { sku: 'b' },
        update: { sku: 'changed', parts: { create: { name: 'c' } } },
      },
      { where: { id: explicitId() }, create: { sku: 'new' }, update: {} },
    ];
    const include = { lines: { include: { parts: true } } };
    const { lines } = await db.order.update({ where: { id }, data: { lines: { upsert } }, include });
    assert.deepEqual(lines.map(({ sku }) => sku).sort(), ['changed', 'new']);
    return idsOf([...lines, ...lines.flatMap(({ parts }) => parts)]);
  },
  'update with a nested upsert of the only row': async (db) => {
    const { id } = await db.customer.create({ data: { name: fresh() } });
    const made = await db.customer.update({
      where: { id },
      data: withProfile('a'),
      include: { profile: true },
    });
    const kept = await db.customer.update({
      where: { id },
      data: withProfile('b'),
      include: { profile: true },
    });
    assert.deepEqual(kept.profile, { ...made.profile, bio: 'b' });
    return [made.profile.id];
  },
  'update over two levels with a create': async (db) => {
    const { id, lines } = await db.order.create({
      data: { note: 'a', lines: { create: { sku: 'a' } } },
      include: { lines: true },
    });
    const update = [{ where: { id: lines[0].id }, data: { parts: { create: { name: 'a' } } } }];
    await db.order.update({ where: { id }, data: { lines: { update } } });
    return idsOf(await db.part.findMany({ where: { lineId: lines[0].id } }));
  },
  'update of the only row without a condition, with a create': async (db) => {
    const { id } = await db.order.create({ data: { note: 'a', customer: { create: { name: fresh() } } } });
    const bare = { customer: { update: { profile: { create: { bio: 'a' } } } } };
    const include = { customer: { include: { profile: true, children: true } } };
    const { customer } = await db.order.update({ where: { id }, data: bare, include });
    const full = { customer: { update: { data: { children: { create: { name: fresh() } } } } } };
    const changed = await db.order.update({ where: { id }, data: full, include });
    return idsOf([customer.profile, ...changed.customer.children]);
  },
  'upsert with a nested create in both branches': async (db) => {
    const name = fresh();
    const both = { name, orders: { create: { note: name } } };
    const upsert = () =>
      db.customer.upsert({ where: { name }, create: both, update: both, include: { orders: true } });
    await upsert();
    const { orders } = await upsert();
    assert.equal(orders.length, 2);
    return idsOf(orders);
  },
  '$transaction of an array': async (db) => {
    const rows = await db.$transaction([
      db.order.create({ data: { note: 'a', lines: { create: { sku: 'a' } } } }),
      db.order.create({ data: { note: 'b' } }),
    ]);
    const note = fresh();
    const id = rows[0].id;
    const failing = db.$transaction([
      db.order.create({ data: { note } }),
      db.order.create({ data: { id, note } }),
    ]);
    await assert.rejects(failing);
    assert.equal(await db.order.count({ where: { note } }), 0);
    return idsOf(rows);
  },
  '$transaction of a function': async (db) => {
    const note = fresh();
    const order = await db.$transaction(async (tx) => {
      await tx.order.createMany({ data: [{ note: 'b' }] });
      return tx.order.create({ data: { note: 'a', lines: { create: { sku: 'a' } } } });
    });
    const undone = db.$transaction(async (tx) => {
      await tx.order.create({ data: { note } });
      throw new Error('undo');
    });
    await assert.rejects(undone, /undo/);
    assert.equal(await db.order.count({ where: { note } }), 0);
    return [order.id];
  },
  'IDs that the app passes': async (db) => {
    const ids = Array.from({ length: 5 }, explicitId);
    const order = await db.order.create({
      data: { id: ids[0], note: 'a', lines: { create: { id: ids[1], sku: 'a' } } },
    });
    await db.order.createMany({
      data: [
        { id: ids[2], note: 'a' },
        { id: undefined, note: 'without' },
      ],
    });
    await db.order.create({ data: { id: String(ids[3]), note: 'a text' } });
    await db.order.create({ data: { id: Number(ids[4]), note: 'a small number' } });
    assert.equal(order.id, ids[0]);
    assert.equal(await db.order.count({ where: { id: { in: ids } } }), 4);
    assert.equal(await db.line.count({ where: { id: ids[1] } }), 1);
    return idsOf(await db.order.findMany({ where: { note: 'without' } }));
  },
  'objects that the app uses again': async (db) => {
    class Dto {
      sku = 'a';
    }
    const data = Object.freeze({
      note: 'a',
      lines: Object.freeze({ create: Object.freeze([Object.freeze(new Dto())]) }),
    });
    const orders = [await db.order.create({ data }), await db.order.create({ data })];
    const lines = await db.line.findMany({ where: { orderId: { in: idsOf(orders) } } });
    assert.equal(lines.length, 2);
    return idsOf([...orders, ...lines]);
  },
};
