import { InvalidIdError } from 'nestjs-snowflake/core';
import { attachSnowflake, SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  Column,
  Entity,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  type DataSource,
  type Relation,
} from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { CountingSource } from './support/sources.js';

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

  it.each(['garbage', '', '99999999999999999999', '0017'])(
    'refuses %p in a column that a relation shares',
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
    await notes().save({ number: 7, about: { id: 5 } as unknown as Buyer });
    await notes().save({ number: 7, about: null });
    await expect(notes().findOne({ where: { number: 7 }, relations: { about: true } })).resolves.toEqual({
      number: 7,
      about: null,
    });
    await purchases().remove(again);
    await notes().delete(7);
  });
});
