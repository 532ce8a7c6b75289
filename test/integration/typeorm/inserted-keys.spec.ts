import { attachSnowflake, SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  AfterInsert,
  BeforeInsert,
  Column,
  type DataSource,
  Entity,
  EventSubscriber,
  type EntitySubscriberInterface,
  type InsertEvent,
  JoinColumn,
  OneToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Relation,
} from 'typeorm';
import { dataSourceOf, DRIVERS } from './support/databases.js';
import { CountingSource } from './support/sources.js';

abstract class Named {
  @Column({ type: 'varchar', length: 20, unique: true }) name!: string;

  /** A default is what TypeORM reads a new row again for. */
  @Column({ type: 'int', default: 0 }) cents!: number;
}

@Entity()
class Owner extends Named {
  @SnowflakeId() id!: string;

  /** What its key was when the entity was told of its row. */
  inserted?: string;

  @BeforeInsert()
  async beforeInsert(): Promise<void> {
    if (this.name !== 'own late') return;
    await later();
    this.id = '9';
  }

  @AfterInsert()
  afterInsert(): void {
    this.inserted = this.id;
  }
}

@Entity()
class Holding extends Named {
  @PrimaryColumn({ type: 'varchar', length: 20 }) tenant!: string;

  @SnowflakeId() id!: string;

  @SnowflakeId({ primary: false }) traceId!: string;
}

/** Its key is the owner's. */
@Entity()
class Passport extends Named {
  @SnowflakeColumn({ primary: true }) id!: string;

  @OneToOne(() => Owner, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'id' })
  owner?: Relation<Owner>;
}

/** Without an ID of this library. */
@Entity()
class Plain extends Named {
  @PrimaryGeneratedColumn() key!: number;
}

@EventSubscriber()
class Late implements EntitySubscriberInterface {
  async beforeInsert({ entity }: InsertEvent<Owner>): Promise<void> {
    if (entity.name !== 'late') return;
    await later();
    entity.id = '7';
  }
}

const later = () => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(DRIVERS)('the keys of rows and their objects with %s', (driver) => {
  const canReturn = driver === 'postgres' || driver === 'mariadb';
  let dataSource: DataSource;

  beforeAll(async () => {
    const entities = [Owner, Holding, Passport, Plain];
    dataSource = await dataSourceOf(driver, 'inserted keys', { entities, subscribers: [Late] });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    for (const entity of [Owner, Holding, Passport, Plain]) await dataSource.manager.clear(entity);
  });

  const orIgnore = (entity: new () => Named, rows: object[], ...returned: string[]) => {
    const insert = dataSource.createQueryBuilder().insert().into(entity).values(rows).orIgnore();
    return canReturn ? insert.returning(returned) : insert;
  };

  it('belong together in all their parts', async () => {
    const rows = ['b', 'a'].map((tenant) => dataSource.manager.create(Holding, { tenant, name: tenant }));
    await dataSource.manager.insert(Holding, rows);
    expect(rows).toMatchObject([{ tenant: 'b' }, { tenant: 'a' }]);

    await dataSource.manager.save(Holding, rows);
    await expect(dataSource.manager.count(Holding)).resolves.toBe(2);
  });

  it('belong together in all their parts when a row is left out', async () => {
    await dataSource.manager.insert(Holding, { tenant: 'a', id: '5', name: 'five' });
    const rows: Partial<Holding>[] = ['five', 'six'].map((name) => ({ tenant: `of ${name}`, name }));

    await orIgnore(Holding, rows, 'tenant', 'id', 'traceId').execute();

    expect(rows.map(({ tenant }) => tenant)).toEqual(['of five', 'of six']);
    const six = await dataSource.manager.findOneByOrFail(Holding, { name: 'six' });
    expect(rows[1]).toMatchObject({ id: six.id, traceId: six.traceId });
    expect(rows[0]!.traceId).not.toBe(six.traceId);
  });

  it('belong together in what the INSERT tells', async () => {
    for (const entity of [Owner, Passport]) {
      const keys = [{ id: '900' }, { id: '400' }];
      const rows = keys.map(({ id }) => ({ id, name: id }));

      const { identifiers, generatedMaps } = await orIgnore(entity, rows, 'id').execute();

      expect(rows).toMatchObject(keys);
      expect(identifiers).toEqual(keys);
      expect(generatedMaps).toMatchObject(keys);
    }
  });

  it('belong together in what the INSERT tells when a row is left out', async () => {
    await dataSource.manager.insert(Owner, { id: '5', name: 'five' });
    const keys = [{ id: '6' }, { id: '8' }];
    const rows = [Object.assign(new Owner(), { ...keys[0], name: 'five' }), { ...keys[1], name: 'eight' }];

    const { identifiers } = await orIgnore(Owner, rows, 'id').execute();

    expect(rows).toMatchObject(keys);
    expect(identifiers).toEqual(keys);
    expect(rows[0]).toMatchObject({ inserted: '6' });
  });

  it('belong together where TypeORM calls nobody', async () => {
    await dataSource.manager.insert(Passport, { id: '5', name: 'five' });
    const rows = [
      { id: '6', name: 'five' },
      { id: '8', name: 'eight' },
    ];

    await orIgnore(Passport, rows, 'id').callListeners(false).execute();

    expect(rows.map(({ id }) => id)).toEqual(['6', '8']);
  });

  it('belong together where a relation fills them', async () => {
    const owners = ['900', '400'].map((id) => dataSource.manager.create(Owner, { id, name: id }));
    const rows = owners.map((owner) => dataSource.manager.create(Passport, { owner, name: owner.name }));

    await orIgnore(Passport, rows, 'id').execute();

    expect(owners).toMatchObject([{ id: '900' }, { id: '400' }]);
    expect(rows.map(({ owner }) => owner)).toEqual(owners);
    for (const { id, name } of rows) expect([undefined, name]).toContain(id);
  });

  it.each([
    ['a subscriber', 'late', '7'],
    ['the entity', 'own late', '9'],
  ])('are those that %s sets after a wait', async (_, name, id) => {
    const owner = dataSource.manager.create(Owner, { name });
    await dataSource.manager.save(owner);
    expect(owner.id).toBe(id);

    await dataSource.manager.save(Object.assign(owner, { cents: 5 }));
    await expect(dataSource.manager.find(Owner)).resolves.toMatchObject([{ id, cents: 5 }]);

    const rows = [
      dataSource.manager.create(Owner, { name: 'other' }),
      dataSource.manager.create(Owner, { name }),
    ];
    await dataSource.manager.clear(Owner);
    await dataSource.manager.insert(Owner, rows);
    expect(rows[1]!.id).toBe(id);
  });

  it('are free again after an INSERT, and after one that failed', async () => {
    const rows = ['900', '400'].map((id) => dataSource.manager.create(Owner, { id, name: 'one' }));
    const insert = () => dataSource.manager.insert(Owner, rows);
    const rename = (ids: string[]) => {
      for (const [row, id] of ids.entries()) Object.assign(rows[row]!, { id, name: id });
      expect(rows.map((row) => dataSource.getMetadata(Owner).getEntityIdMap(row))).toEqual(
        ids.map((id) => ({ id })),
      );
    };

    await expect(insert()).rejects.toThrow(/unique|duplicate/i);
    rename(['8', '6']);
    await insert();
    rename(['90', '70']);
    await insert();
    await expect(dataSource.manager.count(Owner)).resolves.toBe(4);
  });

  it('of the database stay what it makes them', async () => {
    const rows: Partial<Plain>[] = [{ name: 'a' }, { name: 'b' }];
    await dataSource.manager.insert(Plain, rows);

    const stored = await dataSource.manager.find(Plain);
    expect(rows.map(({ key, name }) => [name, key])).toEqual(stored.map(({ key, name }) => [name, key]));
  });
});
