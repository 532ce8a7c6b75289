import { MissingSubscriberError } from 'nestjs-snowflake';
import { attachSnowflake, SnowflakeId, SnowflakeIdTransformer } from 'nestjs-snowflake/typeorm';
import { Column, type DataSource, Entity } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { EVENTS, Reading, TextReading } from './support/events.js';
import { QueryLog } from './support/query-log.js';
import { CountingSource } from './support/sources.js';

/** A transformer of an app's own making, which stores something else than it is given. */
class ShiftedTransformer extends SnowflakeIdTransformer {
  override to(value: unknown): unknown {
    return typeof value === 'string' ? String(BigInt(value) + 5n) : value;
  }
  override from(value: unknown): unknown {
    return value === null ? null : String(BigInt(String(value)) - 5n);
  }
}

/** The transformer on columns of an app's own making, which hold more than IDs. */
@Entity('note')
class Note {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20, transformer: new SnowflakeIdTransformer() }) code!: string;

  @Column({ type: 'bigint', nullable: true, transformer: new ShiftedTransformer() }) shifted!: string | null;
}

/** The largest ID, and one that a 32-bit literal holds: a database gives literals a type of their own. */
const LARGEST = '9223372036854775807';
const SMALL = '7';

describe.each(KINDS)('IDs in the text of statements on %s', (kind) => {
  const isLiteral = kind !== 'sqlite';
  const ids = new CountingSource();
  const log = new QueryLog();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'literals', {
      entities: [...EVENTS, Note],
      logger: log,
      logging: true,
    });
    attachSnowflake(dataSource, { default: ids, audit: ids });
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(() => dataSource.getRepository(Reading).clear());

  const readings = () => dataSource.getRepository(Reading);
  const stored = (id: string) => readings().findOneByOrFail({ id });
  const expectLiteral = (...written: string[]): void => {
    for (const id of written) {
      expect(log.last('INSERT').sql.includes(id)).toBe(isLiteral);
      expect(log.last('INSERT').parameters.includes(id)).toBe(!isLiteral);
    }
  };

  it('writes the IDs of an INSERT', async () => {
    const rows = await readings().insert([{ celsius: 20 }, { celsius: 21, causeId: LARGEST }]);

    expectLiteral(...rows.identifiers.map(({ id }) => String(id)), LARGEST, ...ids.issued.slice(-4));
    await expect(stored(rows.identifiers[1]?.['id'])).resolves.toMatchObject({
      celsius: 21,
      causeId: LARGEST,
    });
  });

  it('writes an ID that a column is set to', async () => {
    const { id } = await readings().save({ celsius: 20 });

    await readings().update({ id }, { causeId: LARGEST });

    expect(log.last('UPDATE').sql.includes(LARGEST)).toBe(isLiteral);
    expect(log.last('UPDATE').parameters).toContain(id);
    await expect(stored(id)).resolves.toHaveProperty('causeId', LARGEST);
  });

  it('stores small, large, given and missing IDs of one statement', async () => {
    const rows = [{ id: SMALL }, { id: LARGEST, causeId: SMALL }, { causeId: LARGEST }];

    await readings().insert(rows);

    const found = await readings().find({ order: { id: 'ASC' } });
    expect(found.map(({ id, causeId }) => [id, causeId])).toEqual([
      [SMALL, null],
      [ids.issued.at(-2), LARGEST],
      [LARGEST, SMALL],
    ]);
  });

  it('serves an upsert', async () => {
    const { id } = await readings().save({ celsius: 20 });

    await readings().upsert({ id, celsius: 30 }, ['id']);

    expectLiteral(id);
    await expect(stored(id)).resolves.toHaveProperty('celsius', 30);
  });

  it('still takes SQL of the app', async () => {
    const row = { id: () => '40 + 2', celsius: 20 };
    await readings().createQueryBuilder().insert().values(row).updateEntity(false).execute();

    await expect(stored('42')).resolves.toHaveProperty('celsius', 20);
  });

  it('leaves text columns to parameters', async () => {
    const { id } = await dataSource.getRepository(TextReading).save({ causeId: LARGEST });

    expect(log.last('INSERT').parameters).toEqual(expect.arrayContaining([id, LARGEST]));
    expect(log.last('INSERT').sql).not.toContain(LARGEST);
  });

  it('leaves columns that the app declares otherwise to parameters', async () => {
    const { id } = await dataSource.getRepository(Note).save({ code: '1' });
    await dataSource.getRepository(Note).update({ id }, { code: '007' });

    await expect(dataSource.getRepository(Note).findOneBy({ id })).resolves.toMatchObject({ code: '007' });
  });

  it('leaves values that the app transforms to parameters', async () => {
    const notes = dataSource.getRepository(Note);
    const { id } = await notes.save({ code: '1', shifted: '100' });
    expect(log.last('INSERT').parameters).toContain('105');

    await notes.update({ id }, { shifted: '200' });
    expect(log.last('UPDATE').parameters).toContain('205');
    await expect(notes.findOneByOrFail({ id })).resolves.toHaveProperty('shifted', '200');
  });

  describe('behind the back of the subscriber', () => {
    beforeEach(() => readings().insert({ celsius: 0 }));

    const insertUnseen = (causeId: string, id: string | undefined = SMALL) =>
      readings()
        .createQueryBuilder()
        .insert()
        .values({ id, traceId: SMALL, causeId })
        .callListeners(false)
        .updateEntity(false)
        .execute();

    it.each([
      '1); DELETE FROM reading; --',
      '1 OR 1=1',
      '1\n',
      ' 1',
      '-1',
      '1e3',
      '0x10',
      '12345678901234567890',
      '\u0661', // A digit, but of another script.
      '',
    ])('never writes %j into a statement', async (text) => {
      await insertUnseen(text).catch(() => undefined);

      expect(log.last('INSERT').sql).toMatch(/^INSERT/);
      expect(log.last('INSERT').parameters).toContain(text);
      if (text.length > 1) expect(log.last('INSERT').sql).not.toContain(text);
      await expect(readings().countBy({ celsius: 0 })).resolves.toBeGreaterThan(0);
    });

    it.each([10, 3, 0])('still refuses a row without an ID, with stacks of %p frames', async (frames) => {
      const row = readings().createQueryBuilder().insert().values({ celsius: 1 }).callListeners(false);
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = frames;
      try {
        await expect(row.execute()).rejects.toThrow(MissingSubscriberError);
        expect(Error.stackTraceLimit).toBe(frames);
      } finally {
        Error.stackTraceLimit = limit;
      }
    });
  });

  it('keeps parameters in a search', async () => {
    const { id } = await readings().save({ celsius: 20 });

    await readings().findBy({ id, causeId: LARGEST });

    expect(log.last('SELECT').parameters).toEqual([id, LARGEST]);
  });
});
