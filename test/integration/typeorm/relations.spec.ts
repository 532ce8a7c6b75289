import { InvalidIdError } from 'nestjs-snowflake/core';
import { attachSnowflake, SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Column,
  type DataSource,
  Entity,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  type Relation,
} from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { Delivery, Invoice, Order, OrderLine, Product, SHOP } from './support/shop.js';
import { CountingSource, FIRST_ID } from './support/sources.js';

/** An app's first weeks after its epoch, while a number still holds every ID, are a case of their own on SQLite. */
const AGES: [string, bigint][] = [
  ['IDs beyond 2^53', FIRST_ID],
  ['small IDs', 1000n],
  ['IDs around 2^53', 2n ** 53n - 10n],
];

describe.each(KINDS)('cascades on %s [promise: exact-keys]', (kind) => {
  describe.each(AGES)('with %s', (_, firstId) => {
    const ids = new CountingSource(firstId);
    const log = new QueryLog();
    let dataSource: DataSource;

    beforeAll(async () => {
      dataSource = await dataSourceFor(kind, 'cascades', { entities: SHOP, logger: log, logging: true });
      attachSnowflake(dataSource, ids);
      await dataSource.initialize();
    });
    afterAll(() => dataSource.destroy());

    const orders = () => dataSource.getRepository(Order);
    const lines = () => dataSource.getRepository(OrderLine);

    it('saves one-to-many', async () => {
      const order = await orders().save({
        lines: [lines().create({ sku: 'a' }), lines().create({ sku: 'b' })],
      });

      const found = await orders().findOneOrFail({
        where: { id: order.id },
        relations: { lines: true },
        order: { lines: { sku: 'ASC' } },
      });
      expect(found.id).toBe(order.id);
      expect(found.lines).toEqual(order.lines.map(({ id, sku }) => ({ id, sku })));
      expect(new Set([order.id, ...order.lines.map(({ id }) => id)])).toEqual(new Set(ids.issued.slice(-3)));
    });

    it('saves many-to-one, next to a property for the foreign key', async () => {
      const order = await orders().save({ customer: { email: `${kind}@example.org` } });

      const found = await orders().findOneOrFail({ where: { id: order.id }, relations: { customer: true } });
      expect(ids.issued).toContain(order.customer.id);
      expect(found.customerId).toBe(order.customer.id);
      expect(found.customer).toHaveProperty('id', order.customer.id);
    });

    it('saves a plain foreign key', async () => {
      const { customer } = await orders().save({ customer: { email: `${kind}2@example.org` } });

      const order = await orders().save({ customerId: customer.id });

      const found = await orders().findOneOrFail({ where: { id: order.id }, relations: { customer: true } });
      expect(found.customer).toHaveProperty('email', customer.email);
      expect(found.customerId).toBe(customer.id);
    });

    it('saves many-to-many', async () => {
      const [known] = await dataSource.getRepository(Product).save([{ name: 'known' }]);

      const order = await orders().save({ gifts: [known!, { name: 'new' }] });

      const found = await orders().findOneOrFail({
        where: { id: order.id },
        relations: { gifts: true },
        order: { gifts: { id: 'ASC' } },
      });
      expect(found.gifts).toEqual([known, { id: order.gifts[1]!.id, name: 'new' }]);
    });

    it('saves one-to-one from either side', async () => {
      const order = await orders().save({ invoice: {} });
      const invoice = await dataSource.getRepository(Invoice).save({ order: {} });

      const invoices = await dataSource
        .getRepository(Invoice)
        .find({ relations: { order: true }, order: { id: 'ASC' } });
      expect(invoices.map(({ id, order: owner }) => [id, owner?.id])).toEqual(
        expect.arrayContaining([
          [order.invoice.id, order.id],
          [invoice.id, invoice.order.id],
        ]),
      );
    });

    it('saves a one-to-one that shares the primary key', async () => {
      const order = await orders().save({ delivery: { street: 'Elm Street' } });

      await expect(
        dataSource.getRepository(Delivery).findOneByOrFail({ orderId: order.id }),
      ).resolves.toEqual({
        orderId: order.id,
        street: 'Elm Street',
      });
    });

    it('finds the children again when the parent is saved once more', async () => {
      const order = await orders().save({ lines: [{ sku: 'kept' }, { sku: 'dropped' }] });
      const issued = ids.issued.length;
      const [kept] = order.lines;

      await orders().save({ id: order.id, note: 'changed', lines: [kept!] });
      const again = await orders().findOneOrFail({ where: { id: order.id }, relations: { lines: true } });
      log.take();
      await orders().save(again);

      expect(new Set(log.take())).toEqual(new Set(['SELECT']));
      expect(ids.issued).toHaveLength(issued);
      expect(again).toMatchObject({ note: 'changed', lines: [{ id: kept!.id, sku: 'kept' }] });
      await expect(lines().countBy({ order: { id: order.id } })).resolves.toBe(1);
    });

    it('gives new children of an old parent their IDs', async () => {
      const { id } = await orders().save({ lines: [{ sku: 'old' }] });
      const order = await orders().findOneOrFail({ where: { id }, relations: { lines: true } });

      order.lines!.push(lines().create({ sku: 'new' }));
      await orders().save(order);

      const skus = await lines().find({ where: { order: { id } }, order: { id: 'ASC' } });
      expect(skus.map(({ sku }) => sku)).toEqual(['old', 'new']);
      expect(skus[1]!.id).toBe(ids.issued.at(-1));
    });

    it('loads relations through their IDs', async () => {
      const order = await orders().save({ lines: [{ sku: 'a' }], gifts: [{ name: 'b' }] });

      const found = await orders().findOneOrFail({ where: { id: order.id }, loadRelationIds: true });
      const loaded = await dataSource
        .createQueryBuilder()
        .relation(Order, 'lines')
        .of(order.id)
        .loadMany<OrderLine>();

      expect(found).toMatchObject({ lines: [order.lines[0]!.id], gifts: [order.gifts[0]!.id] });
      expect(loaded.map(({ id }) => id)).toEqual([order.lines[0]!.id]);
    });
  });
});

@Entity()
class Buyer {
  @SnowflakeId() id!: string;
}

@Entity()
class Purchase {
  @SnowflakeId() id!: string;

  @ManyToOne(() => Buyer, { nullable: true }) buyer!: Relation<Buyer>;

  @SnowflakeColumn({ nullable: true }) payerId!: string | null;

  @ManyToOne(() => Buyer, { nullable: true })
  @JoinColumn({ name: 'payerId' })
  payer!: Relation<Buyer>;

  @ManyToMany(() => Buyer)
  @JoinTable()
  watchers!: Buyer[];
}

/** Its key is its own; only its relation has to do with this library. */
@Entity()
class Note {
  @Column({ primary: true, type: 'int' }) number!: number;

  @ManyToOne(() => Buyer, { nullable: true }) about!: Relation<Buyer> | null;
}

/** What `JSON.parse` makes of it is the ID of its neighbor. */
const ID = 382_764_311_539_363_841n;
const ROUNDED = Number(ID);

describe.each(KINDS)('a relation to a row with a Snowflake ID on %s [promise: exact-keys]', (kind) => {
  let dataSource: DataSource;
  const rounded = { id: ROUNDED } as unknown as Buyer;
  const exact = { id: String(ID) } as Buyer;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'linked ids', { entities: [Buyer, Purchase, Note] });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
    const neighbors = [ID, BigInt(ROUNDED)].map((id) => ({ id: String(id) }));
    await dataSource.manager.insert(Buyer, neighbors);
  });
  afterAll(() => dataSource.destroy());

  const purchases = () => dataSource.getRepository(Purchase);
  const notes = () => dataSource.getRepository(Note);

  it.each<[string, () => Promise<unknown>]>([
    ['save', () => purchases().save({ buyer: rounded })],
    ['save, by the ID alone', () => purchases().save({ buyer: ROUNDED } as unknown as Purchase)],
    ['save, next to a column of its own', () => purchases().save({ payer: rounded })],
    ['save of a junction', () => purchases().save({ watchers: [rounded] })],
    ['insert', () => purchases().insert({ buyer: rounded })],
    ['save of an entity that has no Snowflake ID', () => notes().save({ number: 1, about: rounded })],
    ['insert of such an entity', () => notes().insert({ number: 2, about: rounded })],
    ['upsert of such an entity', () => notes().upsert({ number: 3, about: rounded }, ['number'])],
  ])('refuses a rounded number by the name of its property (%s)', async (_, write) => {
    await expect(write()).rejects.toThrow(InvalidIdError);
    await expect(write()).rejects.toThrow(/(Buyer\.id|Purchase\.\w+|Note\.about)\b/);
    await expect(purchases().count()).resolves.toBe(0);
    await expect(notes().count()).resolves.toBe(0);
  });

  it.each<[string, (note: Note) => Promise<unknown>]>([
    ['update', ({ number }) => notes().update({ number }, { about: rounded })],
    ['save', ({ number }) => notes().save({ number, about: rounded })],
    [
      'query builder',
      ({ number }) =>
        notes().createQueryBuilder().update().set({ about: rounded }).where({ number }).execute(),
    ],
    [
      'relation query builder',
      ({ number }) => notes().createQueryBuilder().relation('about').of(number).set(ROUNDED),
    ],
  ])('refuses a rounded number in a row that exists (%s)', async (_, write) => {
    const note = await notes().save({ number: 9, about: exact });
    await expect(write(note)).rejects.toThrow(InvalidIdError);
    await expect(notes().findOne({ where: { number: 9 }, relations: { about: true } })).resolves.toEqual({
      number: 9,
      about: exact,
    });
    await notes().delete(9);
  });

  it.each<[string, unknown]>([
    ['a bigint', ID],
    ['an exact number', 5],
  ])('refuses %s, because TypeORM would not recognize the row', async (_, id) => {
    const buyer = { id } as unknown as Buyer;
    const kept = await purchases().save({ buyer: exact, watchers: [exact] });
    for (const write of [
      () => purchases().save({ buyer }),
      () => purchases().save({ buyer: id } as unknown as Purchase),
      () => purchases().insert({ buyer }),
      () => purchases().save({ watchers: [buyer] }),
      () => purchases().save({ ...kept, buyer }),
      () => purchases().update({ id: kept.id }, { buyer }),
      () => notes().insert({ number: 4, about: buyer }),
    ])
      await expect(write()).rejects.toThrow(InvalidIdError);
    await expect(purchases().count()).resolves.toBe(1);
    await purchases().remove(kept);
  });

  it.each(['garbage', '', '99999999999999999999', '0017'])(
    'refuses %o in a column that a relation shares',
    async (payerId) => {
      await expect(purchases().insert({ payerId })).rejects.toThrow(InvalidIdError);
      await expect(purchases().save({ payerId })).rejects.toThrow(InvalidIdError);
      await expect(purchases().insert({ payer: { id: payerId } })).rejects.toThrow(InvalidIdError);
      const { id } = await purchases().save({ payerId: exact.id });
      await expect(purchases().update({ id }, { payerId })).rejects.toThrow(InvalidIdError);
      await expect(purchases().save({ id, payerId })).rejects.toThrow(InvalidIdError);
      await expect(purchases().findOneBy({ id })).resolves.toMatchObject({ payerId: exact.id });
      await purchases().delete({ id });
    },
  );

  it('takes an ID that is exact, and reads and removes what it links (control)', async () => {
    const [small] = await dataSource.manager.save(Buyer, [{ id: '5' }]);
    const saved = await purchases().save({ buyer: exact, payer: exact, watchers: [exact, small!] });
    const relations = { buyer: true, payer: true, watchers: true };
    const read = await purchases().findOneOrFail({ where: { buyer: exact }, relations });
    expect(read).toMatchObject({ id: saved.id, buyer: exact, payerId: String(ID), payer: exact });
    expect(read.watchers.map(({ id }) => id).toSorted()).toEqual([String(ID), '5']);
    read.watchers = read.watchers.filter(({ id }) => id === '5');
    read.payer = small!;
    await purchases().save(read);
    const again = await purchases().findOneOrFail({ where: { watchers: { id: '5' } }, relations });
    expect(again).toMatchObject({ payerId: '5', buyer: exact, watchers: [{ id: '5' }] });
    await notes().save({ number: 7, about: small! });
    await notes().save({ number: 7, about: null });
    await expect(notes().findOne({ where: { number: 7 }, relations: { about: true } })).resolves.toEqual({
      number: 7,
      about: null,
    });
    await purchases().remove(again);
    await notes().delete(7);
  });
});
