import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import type { DataSource } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { Delivery, Invoice, Order, OrderLine, Product, SHOP } from './support/shop.js';
import { QueryLog } from './support/query-log.js';
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
