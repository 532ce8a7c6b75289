import { instanceToPlain } from 'class-transformer';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { BitLayout, IdDecoder, layoutPreset } from 'nestjs-snowflake/core';
import { attachSnowflake, createdBetween } from 'nestjs-snowflake/typeorm';
import {
  And,
  Any,
  Between,
  type DataSource,
  Equal,
  type FindOperator,
  type FindOptionsWhere,
  In,
  IsNull,
  LessThan,
  Like,
  MoreThan,
  Not,
  Or,
  Raw,
  type SelectQueryBuilder,
} from 'typeorm';
import { dataSourceFor, type Kind, KINDS } from './support/databases.js';
import { Device, EVENTS, LatestReading, Reading, TextReading } from './support/events.js';
import { analyze, planOf, rangeScanOn } from './support/query-plan.js';
import { Customer, Order, SHOP } from './support/shop.js';
import { CountingSource } from './support/sources.js';

const FROM = Date.parse('2026-11-21T00:00:00Z');
const SECOND = 1000;
/** Rows at one a second; the range of the tests holds a hundredth of them. */
const ROWS = 10_000;
const TO = FROM + 100 * SECOND;
const ROWS_PER_INSERT = 500;

const layout = new BitLayout();
const discord = layoutPreset('discord');
const audit = new IdDecoder(new BitLayout(discord.layout, discord.epoch));
const decoder = new IdDecoder(layout);

const idAt = (timeMs: number, workerId = 0, sequence = 0): string =>
  String(layout.compose({ tick: layout.tickAt(timeMs), workerId, sequence }));

/** IDs next to each other on both sides of both bounds: rounding any of them shows. */
const EDGES = [FROM, TO].flatMap((timeMs) => [
  idAt(timeMs - 1, 1023, 4094),
  idAt(timeMs - 1, 1023, 4095),
  idAt(timeMs),
  idAt(timeMs, 0, 1),
]);
const FIRST_ROW_MS = FROM - 4000 * SECOND;
const IDS = [
  ...EDGES,
  ...Array.from({ length: ROWS }, (_, row) => idAt(FIRST_ROW_MS + row * SECOND, 7, row % 4096)),
];
const WANTED = IDS.filter((id) => {
  const { timestampMs } = decoder.decode(id);
  return FROM <= timestampMs && timestampMs < TO;
}).sort();

describe.each(KINDS)('queries by time on %s [promise: exact-keys]', (kind) => {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 3 }) });
  const auditIds = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 3 }), layout: 'discord' });
  let dataSource: DataSource;
  let deviceId: string;

  beforeAll(async () => {
    await Promise.all([ids.start(), auditIds.start()]);
    dataSource = await dataSourceFor(kind, 'queries', { entities: [...EVENTS, LatestReading] });
    attachSnowflake(dataSource, { default: ids, audit: auditIds });
    await dataSource.initialize();
    ({ id: deviceId } = await dataSource.manager.save(Device, { id: idAt(FROM) }));
    for (let row = 0; row < IDS.length; row += ROWS_PER_INSERT) {
      const rows = IDS.slice(row, row + ROWS_PER_INSERT).map((id) => ({ id, causeId: id, traceId: '1' }));
      await readings().insert(rows);
    }
    await analyze(dataSource, kind, 'reading');
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await Promise.all([ids.stop(), auditIds.stop()]);
  });

  const readings = () => dataSource.getRepository(Reading);
  const query = (): SelectQueryBuilder<Reading> => readings().createQueryBuilder('reading');
  const idsOf = (rows: readonly Reading[]): string[] => rows.map(({ id }) => id).sort();

  describe('createdBetween', () => {
    it('finds exactly the rows of the range', async () => {
      expect(WANTED.length).toBe(100 + EDGES.length / 2);
      expect(idsOf(await readings().findBy({ id: createdBetween(ids, FROM, TO) }))).toEqual(WANTED);
      expect(
        await readings().countBy({ id: createdBetween(ids, new Date(FROM), '2026-11-21T00:01:40Z') }),
      ).toBe(WANTED.length);
    });

    it('takes the last millisecond before an instant and not the instant', async () => {
      const found = await readings().findBy({ id: createdBetween(ids, FROM - 1, FROM) });
      expect(idsOf(found)).toEqual([idAt(FROM - 1, 1023, 4094), idAt(FROM - 1, 1023, 4095)]);
      await expect(readings().findBy({ id: createdBetween(ids, FROM, FROM) })).resolves.toEqual([]);
    });

    it('reads only the stretch of the index that createdBetween() names', async () => {
      const found = query().setFindOptions({ where: { id: createdBetween(ids, FROM, TO) } });
      expect(await planOf(kind, found)).toMatch(rangeScanOn(kind));
    });

    it('combines createdBetween() with other conditions, and with itself', async () => {
      const range = createdBetween(ids, FROM, TO);
      const rest = await readings().countBy({ id: Not(range) });
      expect(rest).toBe(IDS.length - WANTED.length);
      const last = WANTED.at(-2)!;
      expect(idsOf(await readings().findBy({ id: And(range, MoreThan(last)) }))).toEqual([WANTED.at(-1)]);
      expect(idsOf(await readings().findBy([{ id: range }, { id: range }]))).toEqual(WANTED);
    });

    it('applies createdBetween() to relations, query builders and writes', async () => {
      const [first] = WANTED;
      await readings().update(first!, { device: { id: deviceId } });
      const where = { device: { id: createdBetween(ids, FROM, FROM + 1) } };
      expect(idsOf(await readings().find({ where }))).toEqual([first]);
      expect(
        idsOf(
          await query()
            .where({ id: createdBetween(ids, FROM, TO) })
            .getMany(),
        ),
      ).toEqual(WANTED);
      const { affected } = await readings().update({ id: createdBetween(ids, FROM, TO) }, { celsius: 21 });
      expect(affected).toBe(WANTED.length);
      expect(await readings().countBy({ celsius: 21 })).toBe(WANTED.length);
    });

    it('takes the layout of the IDs that it is given', async () => {
      const { id, traceId } = await readings().save({});
      const { timestampMs } = audit.decode(traceId);
      for (const reader of [auditIds, audit]) {
        const made = createdBetween(reader, timestampMs, timestampMs + 1);
        expect(idsOf(await readings().findBy({ traceId: made }))).toEqual([id]);
      }
      await readings().delete({ traceId: createdBetween(auditIds, timestampMs, timestampMs + 1) });
      await expect(readings().existsBy({ id })).resolves.toBe(false);
      const found = await readings().findBy({ causeId: createdBetween(decoder, FROM, TO) });
      expect(idsOf(found)).toEqual(WANTED);
    });

    it('refuses a range that is none', () => {
      expect(() => createdBetween(ids, TO, FROM)).toThrow(/^to is before from/);
      expect(() => createdBetween(ids, FROM, '2100-01-01')).toThrow(/^to is after the end/);
    });
  });

  describe('idRange() in a query builder', () => {
    const CONDITION = 'reading.id >= :first AND reading.id < :before';

    it('finds exactly the rows of the range, in the index', async () => {
      const found = query().where(CONDITION, ids.idRange(FROM, TO));

      expect(idsOf(await found.getMany())).toEqual(WANTED);
      expect(await planOf(kind, found)).toMatch(rangeScanOn(kind));
    });

    it('reaches joined entities', async () => {
      const [, second] = WANTED;
      await readings().update(second!, { device: { id: deviceId } });
      const joined = query()
        .innerJoin('reading.device', 'device')
        .where('device.id >= :first AND device.id < :before', decoder.idRange(FROM, FROM + 1));

      expect(idsOf(await joined.getMany())).toContain(second);
    });

    it('bounds updates and deletes', async () => {
      await readings().save({});
      const later = ids.idRange(Date.now() - 60_000, Date.now() + 60_000);
      const condition = 'id >= :first AND id < :before';
      const update = await query().update().set({ celsius: 5 }).where(condition, later).execute();
      expect(update.affected).toBe(1);
      expect(await readings().countBy({ celsius: 5 })).toBe(1);
      await query().delete().where(condition, later).execute();
      expect(await readings().count()).toBe(IDS.length);
    });
  });

  describe('with an ID that is computed', () => {
    const latest = () => dataSource.getRepository(LatestReading);
    /** The last ID of its millisecond: a double cannot tell it from the bound. */
    const LAST_MS = Date.parse('2026-12-01');
    const LAST = idAt(LAST_MS, 1023, 4095);
    const find = (from: number, to: number) => latest().findBy({ lastId: createdBetween(decoder, from, to) });

    beforeAll(() => readings().insert({ id: LAST, celsius: -40, traceId: '1' }));
    afterAll(() => readings().delete(LAST));

    it('finds exactly the rows of the range', async () => {
      await expect(find(LAST_MS, LAST_MS + 1)).resolves.toEqual([{ celsius: -40, lastId: LAST }]);
      await expect(find(LAST_MS - 1, LAST_MS)).resolves.toEqual([]);
      await expect(find(LAST_MS + 1, LAST_MS + SECOND)).resolves.toEqual([]);
    });
  });

  describe('with text', () => {
    const text = () => dataSource.getRepository(TextReading);
    /** Seventeen digits, and eighteen: the first two years of the default layout. */
    const EARLY = idAt(Date.parse('2024-06-01'));
    const LATER = idAt(Date.parse('2026-11-21'));

    it('misses rows of a range where IDs are text, as docs/guides/typeorm.md says', async () => {
      await text().insert([{ id: EARLY }, { id: LATER }]);
      const { first, before } = decoder.idRange('2024-03-01', '2027-01-01');
      const found = await text()
        .createQueryBuilder('t')
        .where('t.id >= :first AND t.id < :before', { first, before })
        .getCount();
      expect(found).toBeLessThan(2);
    });
  });

  describe('and with wrong bounds', () => {
    it('misses rows with bounds of another epoch or layout (control)', async () => {
      const otherEpoch = new IdDecoder(new BitLayout({}, '2024-01-01T00:00:01Z'));
      for (const wrong of [otherEpoch, audit]) {
        const found = idsOf(await readings().findBy({ id: createdBetween(wrong, FROM, TO) }));
        expect(found).not.toEqual(WANTED);
      }
    });

    it('takes a row too many with bounds that went through a JavaScript number (control)', async () => {
      const exact = idAt(FROM, 0, 1);
      const rounded = String(Number(exact));
      expect(rounded).not.toBe(exact);
      const above = await query().where('reading.id >= :rounded', { rounded }).getCount();
      expect(above).not.toBe(await query().where('reading.id >= :exact', { exact }).getCount());
    });

    it('reads the whole table for a search by text (control)', async () => {
      const { first, before } = ids.idRange(FROM, TO);
      const text = query().where('CAST(reading.id AS CHAR(20)) BETWEEN :first AND :before', {
        first,
        before,
      });
      expect(await planOf(kind, text)).not.toMatch(rangeScanOn(kind));
    });
  });

  describe('a getter with an IdDecoder', () => {
    it('returns in a getter when a row was made, from memory and from the database', async () => {
      const saved = await readings().save(readings().create({ celsius: 1 }));
      const { timestamp } = ids.decode(saved.id);
      expect(saved.createdAt).toEqual(timestamp);
      const read = await readings().findOneByOrFail({ id: saved.id });
      expect(read.createdAt).toEqual(timestamp);
      expect(instanceToPlain(read)).toMatchObject({ id: saved.id, createdAt: timestamp });
      await readings().delete(saved.id);
    });

    it('keeps a getter from being a column of TypeORM', async () => {
      const { columns } = dataSource.getMetadata(Reading);
      expect(columns.map(({ propertyName }) => propertyName)).not.toContain('createdAt');
      expect(query().getQuery()).not.toMatch(/created/i);
      const [part] = await readings().find({ select: { celsius: true }, take: 1 });
      expect(part!.createdAt).toBeUndefined();
    });
  });
});

describe.each(KINDS)('reads on %s', (kind) => {
  let dataSource: DataSource;
  let a: string, b: string, c: string;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'reads', { entities: SHOP });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
    const saved = await customers().save(['a', 'b', 'c'].map((email) => ({ email })));
    [a, b, c] = saved.map(({ id }) => id) as [string, string, string];
    await customers().update(b, { referredBy: a });
    await dataSource.getRepository(Order).insert({ customerId: c });
  });
  afterAll(() => dataSource.destroy());

  const customers = () => dataSource.getRepository(Customer);
  const emailsWhere = async (where: FindOptionsWhere<Customer>): Promise<string> => {
    const found = await customers().find({ where, order: { email: 'ASC' } });
    return found.map(({ email }) => email).join('');
  };

  const big = (id: string): string => BigInt(id) as unknown as string;

  it.each<[string, () => string | FindOperator<string>, string]>([
    ['a string', () => b, 'b'],
    ['a bigint', () => big(b), 'b'],
    ['Equal', () => Equal(b), 'b'],
    ['Equal of a bigint', () => Equal(big(b)), 'b'],
    ['In', () => In([a, c]), 'ac'],
    ['In of bigints', () => In([big(a), big(c)]), 'ac'],
    ['In with an undefined', () => In([a, undefined as unknown as string]), 'a'],
    ['Not', () => Not(b), 'ac'],
    ['Not In', () => Not(In([b, c])), 'a'],
    ['IsNull', () => IsNull(), ''],
    ['Not IsNull', () => Not(IsNull()), 'abc'],
    ['Between', () => Between(a, b), 'ab'],
    ['MoreThan', () => MoreThan(a), 'bc'],
    ['And', () => And(MoreThan(a), LessThan(c)), 'b'],
    ['Or', () => Or(Equal(a), Equal(c)), 'ac'],
    ['Raw text', () => Raw(`${b}`), 'b'],
    ['Raw with a parameter', () => Raw((alias) => `${alias} = :id`, { id: b }), 'b'],
    ['a small number', () => MoreThan(5 as unknown as string), 'abc'],
  ])('finds by %s', async (_, condition, found) => {
    await expect(emailsWhere({ id: condition() })).resolves.toBe(found);
  });

  const ownOperators: Record<Kind, [string, () => FindOperator<string>, string]> = {
    sqlite: ['Like', () => Like(`%${b.slice(-3)}`), 'b'],
    postgres: ['Any', () => Any([a, big(c)]), 'ac'],
    mariadb: ['Like', () => Like(`%${b.slice(-3)}`), 'b'],
  };
  it.each([ownOperators[kind]])('finds by %s, which not every database has', async (_, condition, found) => {
    await expect(emailsWhere({ id: condition() })).resolves.toBe(found);
  });

  it('uses an operator twice', async () => {
    const absent: FindOperator<string> = IsNull();

    await expect(emailsWhere({ id: absent })).resolves.toBe('');
    await expect(emailsWhere({ referredBy: absent })).resolves.toBe('ac');
    await expect(emailsWhere({ referredBy: absent })).resolves.toBe('ac');
  });

  it.each([
    ['a string', () => b],
    ['a bigint', () => BigInt(b)],
  ])('takes %s as a parameter of the query builder', async (_, id) => {
    const query = customers().createQueryBuilder('customer').where('customer.id = :id', { id: id() });

    await expect(query.getOne()).resolves.toEqual({ id: b, email: 'b', referredBy: a });
    await expect(query.getRawOne()).resolves.toMatchObject({ customer_id: b });
  });

  it('joins by the ID', async () => {
    const orders = dataSource
      .getRepository(Order)
      .createQueryBuilder('o')
      .leftJoinAndSelect('o.customer', 'c');

    await expect(orders.getMany()).resolves.toMatchObject([
      { customerId: c, customer: { id: c, email: 'c' } },
    ]);
  });

  it('leaves empty conditions to TypeORM', async () => {
    const nothing = undefined as unknown as string;
    const query = () => customers().createQueryBuilder('customer');

    await expect(emailsWhere({ id: nothing })).rejects.toThrow('Undefined value encountered');
    await expect(query().where({ id: undefined }).getMany()).resolves.toEqual([]);
    await expect(query().where({ id: IsNull() }).getMany()).resolves.toEqual([]);
    await expect(query().delete().where({ id: undefined }).execute()).resolves.toHaveProperty('affected', 0);
  });

  it('updates a part of a row by its ID', async () => {
    await customers().update({ id: a }, { id: undefined, referredBy: c });
    await customers().save({ id: a, email: 'a' });
    await expect(customers().findOneByOrFail({ id: a })).resolves.toHaveProperty('referredBy', c);

    await customers().save({ id: a, referredBy: null });
    await expect(customers().findOneByOrFail({ id: a })).resolves.toEqual({
      id: a,
      email: 'a',
      referredBy: null,
    });
  });
});
