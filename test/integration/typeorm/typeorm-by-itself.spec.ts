import { attachSnowflake, SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import {
  BeforeInsert,
  ChildEntity,
  Column,
  type DataSource,
  DeleteDateColumn,
  Entity,
  In,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  type Relation,
  type RelationOptions,
  TableInheritance,
} from 'typeorm';
import { dataSourceFor, dataSourceOf, DRIVERS, KINDS } from './support/databases.js';
import { CountingSource, FIRST_ID } from './support/sources.js';

interface Row {
  id: string;
  name: string;
  cents: number;
  parentId?: string | null;
  closed?: Date | null;
  friends?: Row[];
}

/** A table of this library, and the same table without it: the app sets the key. */
abstract class Fields {
  @Column({ type: 'varchar', length: 20, unique: true }) name!: string;

  /** A default is what TypeORM reads a new row again for. */
  @Column({ type: 'int', default: 0 }) cents!: number;

  @DeleteDateColumn() closed?: Date | null;
}

@Entity()
class Ours extends Fields {
  @SnowflakeId() id!: string;

  @SnowflakeColumn({ nullable: true }) parentId?: string | null;

  @ManyToMany(() => Ours)
  @JoinTable()
  friends?: Ours[];
}

@Entity()
class Plain extends Fields {
  @PrimaryColumn({ type: 'bigint' }) id!: string;

  @Column({ type: 'bigint', nullable: true }) parentId?: string | null;

  @ManyToMany(() => Plain)
  @JoinTable()
  friends?: Plain[];
}

const idAt = (offset: number): string => String(FIRST_ID + 7n + BigInt(offset));
/** What `JSON.parse` makes of an ID: the ID of a neighbor. */
const ROUNDED = Number(idAt(0)) as unknown as string;
const NEIGHBOR = String(BigInt(Number(idAt(0))));

/**
 * docs/guides/typeorm.md lists these as TypeORM's own behaviour. A test that fails here after an update of TypeORM says that it
 * has changed, most likely for the better: correct the page.
 */
describe.each(DRIVERS)('what TypeORM does by itself with %s [promise: exact-keys]', (driver) => {
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceOf(driver, 'typeorm by itself', { entities: [Ours, Plain] });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  describe.each<[string, new () => Row]>([
    ['@SnowflakeId', Ours],
    ['a plain @PrimaryColumn', Plain],
  ])('with %s', (_, entity) => {
    const rows = () => dataSource.getRepository<Row>(entity);
    const row = (offset: number, name: string): Row => ({ id: idAt(offset), name, cents: 5 });
    const idOf = async (name: string): Promise<string> => (await rows().findOneByOrFail({ name })).id;
    const insertIgnoring = (...values: Row[]) => {
      const insert = rows().createQueryBuilder().insert().values(values).orIgnore();
      return driver === 'mysql' || driver === 'sqlite' ? insert : insert.returning(['id', 'name']);
    };

    beforeEach(async () => {
      await rows().createQueryBuilder().delete().execute();
    });

    it('gives objects the keys of their neighbors after orIgnore of several rows', async () => {
      await rows().insert(row(1, 'known'));
      const objects = [row(2, 'known'), row(3, 'new')].map(({ id, name }) => ({ id, name }) as Row);

      await insertIgnoring(...objects).execute();

      await expect(idOf('new')).resolves.toBe(idAt(3));
      if (driver === 'postgres' || driver === 'mariadb') {
        expect(objects.map(({ id }) => id)).toEqual([idAt(3), idAt(3)]);
      } else {
        expect(objects[0]!.id).toBe(idAt(3));
      }
    });

    it('leaves an object with another ID after the upsert of a row that exists', async () => {
      await rows().insert(row(1, 'known'));
      const objects = [row(2, 'known'), row(3, 'new')].map(({ id, name }) => ({ id, name }) as Row);

      await rows().createQueryBuilder().insert().values(objects).orUpdate(['cents'], ['name']).execute();

      await expect(idOf('known')).resolves.toBe(idAt(1));
      expect(objects[0]!.id).not.toBe(idAt(1));
    });

    if (driver === 'sqlite' || driver === 'mysql') {
      it('gives objects the keys of their neighbors if IDs are out of order', async () => {
        const objects = [row(9, 'x'), row(4, 'y')].map(({ id, name }) => ({ id, name }) as Row);

        await rows().insert(objects);

        expect(objects.map(({ id }) => id)).toEqual([idAt(4), idAt(9)]);
        await expect(idOf('x')).resolves.toBe(idAt(9));
      });
    }

    if (driver === 'postgres') {
      it('swaps the keys of objects in an UPDATE of several with returning', async () => {
        await rows().insert([row(1, 'a'), row(2, 'b')]);
        const objects = (await rows().find({ order: { id: 'DESC' } })) as Row[];

        const update = rows().createQueryBuilder().update().set({ cents: 7 }).whereEntity(objects);
        await update.returning(['id']).execute();

        expect(objects.map(({ id, name }) => [name, id])).toEqual([
          ['b', idAt(1)],
          ['a', idAt(2)],
        ]);
      });
    }

    it('finds, updates and deletes the neighbor by a rounded number', async () => {
      await rows().insert([row(0, 'mine'), { ...row(1, 'neighbor'), id: NEIGHBOR }]);

      await expect(rows().findOneBy({ id: ROUNDED })).resolves.toMatchObject({ name: 'neighbor' });
      await expect(rows().findBy({ id: In([ROUNDED]) })).resolves.toMatchObject([{ name: 'neighbor' }]);
      await rows().update({ id: ROUNDED }, { cents: 77 });
      await expect(rows().findOneBy({ name: 'neighbor' })).resolves.toMatchObject({ cents: 77 });
      await rows().delete({ id: ROUNDED });
      await expect(rows().find()).resolves.toMatchObject([{ name: 'mine' }]);
    });

    it('links the neighbor to a row that exists by a rounded number', async () => {
      await rows().insert([row(0, 'mine'), { ...row(1, 'neighbor'), id: NEIGHBOR }]);
      const found = await rows().findOneByOrFail({ name: 'mine' });

      found.friends = [{ id: ROUNDED } as Row];
      await rows().save(found);

      await expect(
        rows().findOne({ where: { name: 'mine' }, relations: { friends: true } }),
      ).resolves.toMatchObject({
        friends: [{ id: NEIGHBOR }],
      });
      await rows().save({ id: found.id, friends: [] } as Partial<Row>);
    });

    it.each([
      ['a bigint', BigInt],
      ['an exact number', Number],
    ])(
      'finds nothing in preload(), softRemove() and recover() by %s, and reports success',
      async (_name, as) => {
        await rows().insert({ ...row(0, 'mine'), id: '4711' });
        const id = as('4711') as unknown as string;
        const object = Object.assign(new entity(), { id });

        await expect(rows().preload({ id, name: 'other' })).resolves.toBeUndefined();
        await rows().softRemove(object);
        await expect(rows().count()).resolves.toBe(1);
        await rows().softDelete('4711');
        await rows().recover(object);
        await expect(rows().count()).resolves.toBe(0);
      },
    );

    it('rounds in maximum()', async () => {
      await rows().insert(row(0, 'mine'));

      const read = (await rows().maximum('id' as 'cents')) as unknown;

      expect(String(read)).not.toBe(idAt(0));
      expect(Number(read)).toBe(Number(idAt(0)));
    });

    it('looks at the key alone in whereInIds()', async () => {
      await rows().insert(row(1, 'a'));
      const found = rows()
        .createQueryBuilder()
        .whereInIds([{ id: idAt(1), name: 'other' }]);

      await expect(found.getMany()).resolves.toHaveLength(1);
    });

    it('leaves an INSERT without listeners to NOT NULL, and stores 0 in an INSERT IGNORE of MySQL', async () => {
      const silent = (name: string) =>
        rows().createQueryBuilder().insert().values({ name }).updateEntity(false).callListeners(false);

      await expect(silent('a').execute()).rejects.toMatchObject({
        code: expect.stringMatching(/^(23502|SQLITE_CONSTRAINT_NOTNULL|ER_NO_DEFAULT_FOR_FIELD)$/),
      });
      if (driver === 'sqlite' || driver === 'postgres') return;
      await silent('b').orIgnore().execute();
      await expect(idOf('b')).resolves.toBe('0');
    });

    it('leaves it to the database to refuse garbage in an UPDATE without listeners', async () => {
      await rows().insert(row(1, 'a'));
      const silent = (parentId: string) =>
        rows().createQueryBuilder().update().set({ parentId }).callListeners(false).execute();

      await silent('0017');
      await expect(rows().findOneBy({ name: 'a' })).resolves.toMatchObject({ parentId: '17' });
      if (driver !== 'sqlite')
        return expect(silent('abc')).rejects.toThrow(/invalid|incorrect|not a snowflake id/i);
      await silent('abc');
      await expect(rows().findOneBy({ name: 'a' })).resolves.toMatchObject({ parentId: 'abc' });
    });

    if (driver === 'sqlite') {
      it('fails in an INSERT of 1,000 rows with a default on SQLite', async () => {
        const many = Array.from({ length: 1000 }, (_each, at) => ({ id: idAt(at), name: String(at) }));

        await expect(rows().insert(many as Row[])).rejects.toThrow('Expression tree is too large');
      });
    }
  });
});

/** What differs between the ways round: how a note refers to its content. */
const REFERENCES: readonly RelationOptions[] = [
  { nullable: true },
  { nullable: false },
  { nullable: true, deferrable: 'INITIALLY DEFERRED' },
];
const REFERENCE = REFERENCES.map((options, at) => {
  @Entity(`content_${at}`)
  @TableInheritance({ column: { type: 'varchar', length: 20, name: 'type' } })
  class Content {
    @SnowflakeId() id!: string;

    @OneToMany(() => Note, (note) => note.content, { cascade: true })
    notes?: Note[];
  }

  @ChildEntity()
  class Photo extends Content {
    @Column({ type: 'varchar', length: 20, nullable: true }) size!: string;
  }

  @Entity(`note_${at}`)
  class Note {
    @SnowflakeId() id!: string;

    @ManyToOne(() => Content, (content) => content.notes, { ...options, cascade: ['insert'] })
    content?: Content;
  }
  return { Content, Photo, Note };
});

describe.each(KINDS)('single-table inheritance with cascades on %s', (kind) => {
  let dataSource: DataSource;
  const [nullable, required, deferred] = REFERENCE;

  beforeAll(async () => {
    const entities = REFERENCE.flatMap((each) => Object.values(each));
    // MariaDB has no deferred foreign keys.
    const known = kind === 'mariadb' ? entities.slice(0, 6) : entities;
    dataSource = await dataSourceFor(kind, 'cascades', { entities: known });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
  });
  afterAll(() => dataSource?.destroy());

  it.each<[string, ({ Photo, Note }: (typeof REFERENCE)[number]) => Promise<unknown>]>([
    ['a child entity with new rows', ({ Photo }) => dataSource.getRepository(Photo).save({ notes: [{}] })],
    [
      'a row with a new child entity',
      ({ Photo, Note }) => dataSource.getRepository(Note).save({ content: new Photo() }),
    ],
  ])(
    'TypeORM inserts %s in the wrong order, unless the relation is required or deferred',
    async (_, save) => {
      await expect(save(nullable!)).rejects.toThrow(/foreign key/i);
      await expect(save(required!)).resolves.toBeDefined();
      if (kind !== 'mariadb') await expect(save(deferred!)).resolves.toBeDefined();
    },
  );

  it('TypeORM inserts the parent entity with new rows in the right order, and rows whose child entity exists (control)', async () => {
    const { Content, Photo, Note } = nullable!;
    await expect(dataSource.getRepository(Content).save({ notes: [{}] })).resolves.toBeDefined();
    const content = await dataSource.getRepository(Photo).save({});
    await expect(dataSource.getRepository(Note).save({ content })).resolves.toBeDefined();
  });
});

@Entity('staff')
class Staff {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20 }) name!: string;

  @SnowflakeColumn({ nullable: true }) bossId!: string | null;

  @ManyToOne(() => Staff, { cascade: true })
  @JoinColumn({ name: 'bossId' })
  boss?: Relation<Staff> | null;

  idSeenByHook: string | undefined = 'the hook was not called';

  @BeforeInsert()
  look(): void {
    this.idSeenByHook = this.id;
  }
}

class Size {
  @SnowflakeId({ primary: false }) tag!: string;
}

@Entity('shirt')
class Shirt {
  @SnowflakeId() id!: string;

  @Column(() => Size) size!: Size;
}

describe.each(KINDS)('what no hook of TypeORM covers on %s [promise: exact-keys]', (kind) => {
  const ids = new CountingSource();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor(kind, 'no hook', { entities: [Staff, Shirt] });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource?.destroy());
  beforeEach(() => dataSource.getRepository(Staff).createQueryBuilder().delete().execute());

  const staff = () => dataSource.getRepository(Staff);
  const named = (name: string): Staff => Object.assign(new Staff(), { name });

  it('leaves rows of SQL by hand without an ID, and the database refuses them', async () => {
    await expect(dataSource.query(`INSERT INTO staff (name) VALUES ('by hand')`)).rejects.toThrow();
    await expect(staff().count()).resolves.toBe(0);
  });

  it('leaves rows of valuesFromSelect() without an ID, and the database refuses them', async () => {
    const { identifiers } = await staff().insert({ name: 'one' });
    expect(identifiers).toHaveLength(1);
    const builder = staff().createQueryBuilder().insert().into(Staff, ['name']);
    const names = staff().createQueryBuilder('other').select('other.name');
    await expect(builder.valuesFromSelect(names).execute()).rejects.toThrow();
    await expect(staff().count()).resolves.toBe(1);
  });

  it('assigns the ID after a @BeforeInsert() method', async () => {
    const saved = await staff().save(named('early'));
    expect(saved.idSeenByHook).toBeUndefined();
    expect(saved.id).toBe(ids.issued.at(-1));
  });

  it('gives rows that share an embedded object the same ID in it', async () => {
    const size = new Size();
    const shirts = [new Shirt(), new Shirt()].map((shirt) => Object.assign(shirt, { size }));
    await dataSource.getRepository(Shirt).save(shirts);
    const rows = await dataSource.getRepository(Shirt).find();
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
    expect(new Set(rows.map((row) => row.size.tag)).size).toBe(1);
  });

  if (kind === 'mariadb') {
    it('stores the ID 0 where an INSERT IGNORE is written by hand', async () => {
      await dataSource.query(`INSERT IGNORE INTO staff (name) VALUES ('by hand')`);
      await expect(staff().find()).resolves.toMatchObject([{ id: '0', name: 'by hand' }]);
    });
  }

  it('saves a row together with the row of the same table that it refers to, but not on MariaDB', async () => {
    const both = Object.assign(named('worker'), { boss: named('boss') });
    const saving = staff().save(both);
    if (kind === 'mariadb') {
      await expect(saving).rejects.toThrow(/foreign key/i);
      // The remedy of the README.
      const boss = await staff().save(named('boss'));
      await staff().save(Object.assign(named('worker'), { bossId: boss.id }));
    } else await saving;
    const worker = await staff().findOneByOrFail({ name: 'worker' });
    await expect(staff().findOneByOrFail({ id: worker.bossId! })).resolves.toHaveProperty('name', 'boss');
  });
});
