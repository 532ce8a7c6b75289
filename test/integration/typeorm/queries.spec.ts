import { instanceToPlain } from 'class-transformer';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { BitLayout, IdDecoder, layoutPreset } from 'nestjs-snowflake/core';
import { attachSnowflake, createdAtOf, createdBetween, idCreatedBetween } from 'nestjs-snowflake/typeorm';
import {
  And,
  Brackets,
  type DataSource,
  type FindOperator,
  MoreThan,
  Not,
  type SelectQueryBuilder,
} from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { Device, EVENTS, LatestReading, Reading, TextReading } from './support/events.js';
import { analyze, planOf, rangeScanOn } from './support/query-plan.js';
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

describe.each(KINDS)('queries by time on %s', (kind) => {
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
  }, 120_000);
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
      expect(idsOf(await readings().findBy({ id: createdBetween(FROM, TO) }))).toEqual(WANTED);
      expect(await readings().countBy({ id: createdBetween(new Date(FROM), '2026-11-21T00:01:40Z') })).toBe(
        WANTED.length,
      );
    });

    it('takes the last millisecond before an instant and not the instant', async () => {
      const found = await readings().findBy({ id: createdBetween(FROM - 1, FROM) });
      expect(idsOf(found)).toEqual([idAt(FROM - 1, 1023, 4094), idAt(FROM - 1, 1023, 4095)]);
      await expect(readings().findBy({ id: createdBetween(FROM, FROM) })).resolves.toEqual([]);
    });

    it('reads only that stretch of the index', async () => {
      const found = query().setFindOptions({ where: { id: createdBetween(FROM, TO) } });
      expect(await planOf(kind, found)).toMatch(rangeScanOn(kind));
    });

    it('can be one of several conditions, and be used twice', async () => {
      const range = createdBetween(FROM, TO);
      const rest = await readings().countBy({ id: Not(range) });
      expect(rest).toBe(IDS.length - WANTED.length);
      const last = WANTED.at(-2)!;
      expect(idsOf(await readings().findBy({ id: And(range, MoreThan(last)) }))).toEqual([WANTED.at(-1)]);
      expect(idsOf(await readings().findBy([{ id: range }, { id: range }]))).toEqual(WANTED);
    });

    it('reaches through relations, query builders and writes', async () => {
      const [first] = WANTED;
      await readings().update(first!, { device: { id: deviceId } });
      const where = { device: { id: createdBetween(FROM, FROM + 1) } };
      expect(idsOf(await readings().find({ where }))).toEqual([first]);
      expect(
        idsOf(
          await query()
            .where({ id: createdBetween(FROM, TO) })
            .getMany(),
        ),
      ).toEqual(WANTED);
      const { affected } = await readings().update({ id: createdBetween(FROM, TO) }, { celsius: 21 });
      expect(affected).toBe(WANTED.length);
      expect(await readings().countBy({ celsius: 21 })).toBe(WANTED.length);
    });

    it('takes the layout of the generator that the column names', async () => {
      const { id, traceId } = await readings().save({});
      const { timestampMs } = audit.decode(traceId);
      const made = createdBetween(timestampMs, timestampMs + 1);
      expect(idsOf(await readings().findBy({ traceId: made }))).toEqual([id]);
      await readings().delete({ traceId: createdBetween(timestampMs, timestampMs + 1) });
      await expect(readings().existsBy({ id })).resolves.toBe(false);
    });

    it('wants to be told whose IDs a column without a generator holds', async () => {
      await expect(readings().findBy({ causeId: createdBetween(FROM, TO) })).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'ids',
        remedy: expect.stringContaining('SnowflakeIdMaker'),
      });
      for (const reader of [ids, decoder]) {
        const found = await readings().findBy({ causeId: createdBetween(FROM, TO, reader) });
        expect(idsOf(found)).toEqual(WANTED);
      }
    });

    it('refuses a range that is none', async () => {
      await expect(readings().findBy({ id: createdBetween(TO, FROM) })).rejects.toThrow(
        /^to lies before from/,
      );
      await expect(readings().findBy({ id: createdBetween(FROM, '2100-01-01') })).rejects.toThrow(
        /^to lies beyond/,
      );
      expect(() => createdBetween(TO, FROM, ids)).toThrow(/^to lies before from/);
    });
  });

  describe('idCreatedBetween', () => {
    const inRange = idCreatedBetween('reading.id', FROM, TO);

    it('finds exactly the rows of the range, in the index', async () => {
      expect(idsOf(await query().where(inRange).getMany())).toEqual(WANTED);
      expect(await planOf(kind, query().where(inRange))).toMatch(rangeScanOn(kind));
    });

    it('stands wherever a condition does', async () => {
      const before = idCreatedBetween('id', FROM - 1, FROM);
      expect(await query().where(before).orWhere(inRange).getCount()).toBe(2 + WANTED.length);
      const bracketed = new Brackets((where) => where.where(before).orWhere(inRange));
      expect(await query().where('reading.celsius >= 0').andWhere(bracketed).getCount()).toBe(
        2 + WANTED.length,
      );
      const other = readings()
        .createQueryBuilder('other')
        .select('other.id')
        .where(idCreatedBetween('other.id', 0, TO));
      const nested = query()
        .where(`reading.id IN (${other.getQuery()})`)
        .setParameters(other.getParameters());
      expect(
        idsOf(await nested.andWhere(idCreatedBetween('reading.id', FROM, TO + SECOND)).getMany()),
      ).toEqual(WANTED);
    });

    it('reaches joined entities, within brackets too', async () => {
      const [, second] = WANTED;
      await readings().update(second!, { device: { id: deviceId } });
      const made = idCreatedBetween('device.id', FROM, FROM + 1);
      const joined = () => query().innerJoin('reading.device', 'device');
      expect(idsOf(await joined().where(made).getMany())).toContain(second);
      expect(
        idsOf(
          await joined()
            .where(new Brackets((where) => where.where(made)))
            .getMany(),
        ),
      ).toContain(second);
      expect(
        await joined()
          .where(idCreatedBetween('device.id', FROM + 1, TO))
          .getCount(),
      ).toBe(0);
    });

    it('leaves parameters of the app alone', async () => {
      const [kept] = WANTED;
      const others = query().where('reading.id <> :id0', { id0: kept });
      expect(idsOf(await others.andWhere(idCreatedBetween('reading.id', 0, TO)).getMany())).not.toContain(
        kept,
      );
    });

    it('bounds updates and deletes', async () => {
      await readings().save({});
      const later = idCreatedBetween('id', Date.now() - 60_000, Date.now() + 60_000);
      const update = await query().update().set({ celsius: 5 }).where(later).execute();
      expect(update.affected).toBe(1);
      expect(await readings().countBy({ celsius: 5 })).toBe(1);
      await query().delete().where(later).execute();
      expect(await readings().count()).toBe(IDS.length);
    });

    it('refuses what is no column, and a column without a generator', async () => {
      expect(() => query().where(idCreatedBetween('reading.celcius', FROM, TO))).toThrow(
        /^path is no column/,
      );
      expect(() => query().where(idCreatedBetween('1 = 1 OR reading.id', FROM, TO))).toThrow(
        /^path is no column/,
      );
      expect(() => query().where(idCreatedBetween('reading.causeId', FROM, TO))).toThrow(/^ids is left out/);
      const told = query().where(idCreatedBetween('reading.causeId', FROM, TO, decoder));
      expect(idsOf(await told.getMany())).toEqual(WANTED);
    });
  });

  describe('with an ID that is computed', () => {
    const latest = () => dataSource.getRepository(LatestReading);
    /** The last ID of its millisecond: a double cannot tell it from the bound. */
    const LAST_MS = Date.parse('2026-12-01');
    const LAST = idAt(LAST_MS, 1023, 4095);
    const range = (from: number, to: number) =>
      latest()
        .createQueryBuilder('latest')
        .where(idCreatedBetween('latest.lastId', from, to, decoder))
        .getMany();
    const options = (from: number, to: number) =>
      latest().findBy({ lastId: createdBetween(from, to, decoder) });

    beforeAll(() => readings().insert({ id: LAST, celsius: -40, traceId: '1' }));
    afterAll(() => readings().delete(LAST));

    it.each([
      ['createdBetween', options],
      ['idCreatedBetween', range],
    ])('%s finds exactly the rows of the range', async (_, find) => {
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

    it('a range is refused', async () => {
      const refused = { code: 'SNOWFLAKE_INVALID_OPTION', value: 'varchar', remedy: /bigint/ };
      const range = (): FindOperator<string> => createdBetween(FROM, TO, ids);
      for (const where of [{ id: createdBetween(FROM, TO) }, { id: range() }, { causeId: range() }]) {
        await expect(text().findBy(where)).rejects.toMatchObject({
          ...refused,
          remedy: expect.stringMatching(/bigint/),
        });
      }
      const condition = idCreatedBetween('t.id', FROM, TO, ids);
      expect(() => text().createQueryBuilder('t').where(condition)).toThrow(/^t.id sorts IDs as text/);
    });

    it('and rightly so: the same bounds miss rows', async () => {
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
    it('those of another epoch or layout miss rows', async () => {
      const otherEpoch = new IdDecoder(new BitLayout({}, '2024-01-01T00:00:01Z'));
      for (const wrong of [otherEpoch, audit]) {
        const found = idsOf(await readings().findBy({ id: createdBetween(FROM, TO, wrong) }));
        expect(found).not.toEqual(WANTED);
        const told = await query()
          .where(idCreatedBetween('reading.id', FROM, TO, wrong))
          .getMany();
        expect(idsOf(told)).toEqual(found);
      }
    });

    it('those that went through a JavaScript number take a row too many', async () => {
      const exact = idAt(FROM, 0, 1);
      const rounded = String(Number(exact));
      expect(rounded).not.toBe(exact);
      const above = await query().where('reading.id >= :rounded', { rounded }).getCount();
      expect(above).not.toBe(await query().where('reading.id >= :exact', { exact }).getCount());
    });

    it('a search by text reads the whole table', async () => {
      const { first, before } = ids.idRange(FROM, TO);
      const text = query().where('CAST(reading.id AS CHAR(20)) BETWEEN :first AND :before', {
        first,
        before,
      });
      expect(await planOf(kind, text)).not.toMatch(rangeScanOn(kind));
    });
  });

  describe('createdAtOf', () => {
    it('tells when a row was made, from memory and from the database', async () => {
      const saved = await readings().save(readings().create({ celsius: 1 }));
      const { timestamp } = ids.decode(saved.id);
      expect(saved.createdAt).toEqual(timestamp);
      const read = await readings().findOneByOrFail({ id: saved.id });
      expect(read.createdAt).toEqual(timestamp);
      expect(instanceToPlain(read)).toMatchObject({ id: saved.id, createdAt: timestamp });
      await readings().delete(saved.id);
    });

    it('is nothing that TypeORM knows', async () => {
      const { columns } = dataSource.getMetadata(Reading);
      expect(columns.map(({ propertyName }) => propertyName)).not.toContain('createdAt');
      expect(query().getQuery()).not.toMatch(/created/i);
      const [part] = await readings().find({ select: { celsius: true }, take: 1 });
      expect(part!.createdAt).toBeUndefined();
    });
  });
});

describe('generators of one name with different layouts', () => {
  const one = new SnowflakeIdMaker({
    store: staticLeaseStore({ workerId: 1 }),
    epoch: '2020-01-01T00:00:00Z',
  });
  const other = new SnowflakeIdMaker({
    store: staticLeaseStore({ workerId: 1 }),
    epoch: '2022-01-01T00:00:00Z',
  });
  const sources: DataSource[] = [];

  async function open(ids: SnowflakeIdMaker | CountingSource): Promise<DataSource> {
    const dataSource = await dataSourceFor('sqlite', 'layouts', { entities: EVENTS });
    attachSnowflake(dataSource, { default: ids, audit: ids });
    sources.push(await dataSource.initialize());
    return dataSource;
  }
  afterAll(() => Promise.all(sources.map((dataSource) => dataSource.destroy())));

  it('are told apart by the DataSource in a query builder, and refused elsewhere', async () => {
    for (const ids of [one, other]) {
      const dataSource = await open(ids);
      const { first } = ids.idRange(FROM, TO);
      await dataSource.manager.insert(Device, { id: first });
      const devices = dataSource.getRepository(Device);
      const found = devices.createQueryBuilder('device').where(idCreatedBetween('device.id', FROM, TO));
      await expect(found.getMany()).resolves.toEqual([{ id: first }]);
      await expect(devices.findBy({ id: createdBetween(FROM, TO) })).rejects.toThrow(
        /^ids is left out, and \d bit layouts are attached under the generator 'default'/,
      );
      await expect(devices.findBy({ id: createdBetween(FROM, TO, ids) })).resolves.toEqual([{ id: first }]);
      const device = await devices.findOneByOrFail({ id: first });
      expect(() => createdAtOf(device)).toThrow(/^ids is left out/);
      expect(createdAtOf(device, ids)).toEqual(new Date(FROM));
    }
  });

  it('need no layout to make IDs', async () => {
    const dataSource = await open(new CountingSource());
    await expect(dataSource.manager.insert(Device, {})).resolves.toBeDefined();
  });
});
