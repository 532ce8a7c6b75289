import {
  attachSnowflake,
  ColumnDropError,
  ColumnTypeError,
  SnowflakeColumn,
  SnowflakeId,
  SnowflakeSubscriber,
  verifySnowflakeDataSource,
} from 'nestjs-snowflake/typeorm';
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  JoinTable,
  ManyToMany,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { type Kind, KINDS, optionsFor } from './support/databases.js';
import { QueryLog } from './support/query-log.js';
import { CountingSource } from './support/sources.js';

@Entity()
class Owner {
  @SnowflakeId() id!: string;
}

@Entity()
class Pet {
  @SnowflakeId({ name: 'pet_id' }) id!: string;

  @SnowflakeColumn({ nullable: true, name: 'vet_id' }) vetId!: string | null;

  @ManyToOne(() => Owner) owner?: Owner;

  @ManyToMany(() => Owner)
  @JoinTable({ name: 'pet_friends' })
  friends?: Owner[];

  @Column({ type: 'int', default: 0 }) age!: number;
}

@Entity()
class TextPet {
  @SnowflakeId({ type: 'varchar' }) id!: string;
}

/** Types that lose an ID, or that do not give it back as it was, and types that do. */
const TYPES: Record<Kind, { refused: string[]; accepted: string[] }> = {
  sqlite: {
    refused: ['integer', 'int', 'real', 'decimal(20,0)', 'blob'],
    accepted: ['bigint', 'BIGINT', 'varchar(20)', 'text'],
  },
  postgres: {
    refused: [
      'integer',
      'smallint',
      'real',
      'double precision',
      'numeric(18,0)',
      'numeric(30,2)',
      'varchar(18)',
      'uuid',
    ],
    accepted: ['bigint', 'numeric(19,0)', 'numeric', 'varchar(19)', 'varchar', 'text', 'wide_id'],
  },
  mariadb: {
    refused: [
      'int',
      'int unsigned',
      'mediumint',
      'float',
      'double',
      'decimal(18,0)',
      'decimal(30,2)',
      'varchar(18)',
    ],
    accepted: ['bigint', 'bigint unsigned', 'decimal(19,0)', 'varchar(19)', 'text'],
  },
};

describe.each(KINDS)('the types of real columns on %s [promise: exact-keys]', (kind) => {
  const log = new QueryLog();
  let dataSource: DataSource;

  beforeAll(async () => {
    const options: DataSourceOptions = await optionsFor(kind, 'column types');
    dataSource = await new DataSource({
      ...options,
      entities: [Owner, Pet, TextPet],
      logger: log,
      logging: true,
    } as DataSourceOptions).initialize();
    attachSnowflake(dataSource, new CountingSource());
    if (kind === 'postgres') await dataSource.query('CREATE DOMAIN wide_id AS bigint');
  });
  afterAll(() => dataSource.destroy());
  afterEach(async () => {
    for (const table of ['pet_friends', 'pet', 'text_pet', 'owner'])
      await dataSource.query(`DROP TABLE IF EXISTS ${table}`);
  });

  const verify = () => verifySnowflakeDataSource(dataSource);
  const createPet = (columns: string) => dataSource.query(`CREATE TABLE pet (${columns})`);

  it('reads the types in the query that checks the driver', async () => {
    await dataSource.synchronize();
    log.take();

    await expect(verify()).resolves.toBeUndefined();

    expect(log.take()).toEqual(['SELECT']);
  });

  it.each(TYPES[kind].refused)('refuses %s, with the table and the column', async (type) => {
    await createPet(`pet_id ${type}, age int`);

    const refusal = await verify().catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(ColumnTypeError);
    expect(refusal).toMatchObject({
      code: 'SNOWFLAKE_COLUMN_TYPE',
      columns: [{ table: 'pet', column: 'pet_id', type: expect.any(String) }],
      message: expect.stringMatching(/^pet\.pet_id is /),
    });
  });

  it.each(TYPES[kind].accepted)('accepts %s (control)', async (type) => {
    await createPet(`pet_id ${type}, age int`);

    await expect(verify()).resolves.toBeUndefined();
  });

  it('checks the types of references, of relations and of junction tables', async () => {
    await createPet(
      `pet_id bigint, vet_id int, ${kind === 'postgres' ? '"ownerId"' : 'ownerId'} int, age int`,
    );
    await dataSource.query(
      kind === 'postgres'
        ? 'CREATE TABLE pet_friends ("petPetId" bigint, "ownerId" int)'
        : 'CREATE TABLE pet_friends (petPetId bigint, ownerId int)',
    );

    await expect(verify()).rejects.toMatchObject({
      columns: [
        { table: 'pet', column: 'vet_id' },
        { table: 'pet', column: 'ownerId' },
        { table: 'pet_friends', column: 'ownerId' },
      ],
    });
  });

  it('checks the types of columns that hold text', async () => {
    await dataSource.query('CREATE TABLE text_pet (id int)');

    await expect(verify()).rejects.toMatchObject({ columns: [{ table: 'text_pet', column: 'id' }] });
  });

  it('checks no type if the table or the column does not exist yet', async () => {
    await createPet('age int');

    await expect(verify()).resolves.toBeUndefined();
  });
});

describe('a table of PostgreSQL in another schema', () => {
  @Entity({ schema: 'zoo', name: 'animal' })
  class Animal {
    @SnowflakeId() id!: string;
  }

  it('finds a table by its schema, and without one by the search path', async () => {
    const options = await optionsFor('postgres', 'column types in schemas');
    const open = async (entity: new () => object, extra: object = {}) => {
      const merged = { ...options, entities: [entity], ...extra } as DataSourceOptions;
      const dataSource = await new DataSource(merged).initialize();
      attachSnowflake(dataSource, new CountingSource());
      return dataSource;
    };
    const [named, searched] = [
      await open(Animal),
      await open(Owner, { extra: { options: '-c search_path=zoo' } }),
    ];
    try {
      await named.query('CREATE SCHEMA zoo');
      await named.query('CREATE TABLE zoo.animal (id int)');
      await named.query('CREATE TABLE zoo.owner (id int)');
      await named.query('CREATE TABLE public.animal (id bigint)');

      await expect(verifySnowflakeDataSource(named)).rejects.toMatchObject({
        columns: [{ table: 'zoo.animal', column: 'id', type: 'integer' }],
      });
      await expect(verifySnowflakeDataSource(searched)).rejects.toMatchObject({
        columns: [{ table: 'owner', column: 'id', type: 'integer' }],
      });
    } finally {
      await Promise.all([named.destroy(), searched.destroy()]);
    }
  });
});

/** The app before: an auto-increment key, and a plain reference. */
@Entity('booking')
class OldBooking {
  @PrimaryGeneratedColumn() id!: number;

  @Column({ type: 'varchar', length: 20, default: '' }) guest!: string;
}

@Entity('note')
class OldNote {
  @PrimaryColumn({ type: 'int' }) number!: number;
}

/** The app after. */
@Entity('booking')
class Booking {
  @SnowflakeId() id!: string;

  @Column({ type: 'varchar', length: 20, default: '' }) guest!: string;
}

@Entity('note')
class Note {
  @PrimaryColumn({ type: 'int' }) number!: number;

  @SnowflakeColumn({ nullable: true }) bookingId!: string | null;
}

const OLD = [OldBooking, OldNote];
const NEW = [Booking, Note];

describe.each(['postgres', 'mariadb'] as const)('synchronize: true on %s [promise: exact-keys]', (kind) => {
  let options: DataSourceOptions;
  const opened: DataSource[] = [];

  beforeEach(async () => {
    options = await optionsFor(kind, 'synchronize');
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((dataSource) => dataSource.isInitialized && dataSource.destroy()));
  });

  function open(entities: (new () => object)[], extra: object = {}): Promise<DataSource> {
    const dataSource = new DataSource({
      ...options,
      entities,
      synchronize: true,
      ...extra,
    } as DataSourceOptions);
    opened.push(dataSource);
    return dataSource.initialize();
  }
  const listed = { subscribers: [SnowflakeSubscriber] };

  async function openOld(): Promise<DataSource> {
    const old = await open(OLD);
    const bookingId = kind === 'postgres' ? '"bookingId"' : 'bookingId';
    await old.query(`ALTER TABLE note ADD COLUMN ${bookingId} int NULL`);
    return old;
  }
  const rowsOf = (dataSource: DataSource, table: string): Promise<unknown> =>
    dataSource.query(`SELECT * FROM ${table} ORDER BY 1`);

  it('refuses to drop a key that holds rows, and leaves everything as it was', async () => {
    const old = await openOld();
    await old.manager.insert(OldBooking, [{ guest: 'a' }, { guest: 'b' }]);

    const refusal = await open(NEW, listed).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(ColumnDropError);
    expect(refusal).toMatchObject({ code: 'SNOWFLAKE_COLUMN_DROP', table: 'booking', column: 'id' });
    await expect(rowsOf(old, 'booking')).resolves.toMatchObject([{ id: 1 }, { id: 2 }]);
    await old.manager.insert(OldBooking, {});
    await expect(old.manager.count(OldBooking)).resolves.toBe(3);
  });

  it('refuses to drop a reference', async () => {
    const old = await openOld();
    const bookingId = kind === 'postgres' ? '"bookingId"' : 'bookingId';
    await old.query(`INSERT INTO note (number, ${bookingId}) VALUES (1, 5)`);

    await expect(open(NEW, listed)).rejects.toMatchObject({ table: 'note', column: 'bookingId' });

    await expect(rowsOf(old, 'note')).resolves.toEqual([{ number: 1, bookingId: 5 }]);
  });

  it('refuses to rename a column first, and names the column as it is', async () => {
    @Entity('note')
    class NoteWithText {
      @PrimaryColumn({ type: 'int' }) number!: number;

      @Column({ type: 'varchar', length: 20 }) text!: string;
    }
    const old = await open([NoteWithText]);
    await old.manager.insert(NoteWithText, { number: 1, text: 'kept' });

    const refusal = open([Note], listed);

    await expect(refusal).rejects.toMatchObject({ table: 'note', column: 'bookingId', presentName: 'text' });
    await expect(refusal).rejects.toThrow('rename note.text to bookingId, then drop and recreate it');
    await expect(rowsOf(old, 'note')).resolves.toEqual([{ number: 1, text: 'kept' }]);
  });

  it('refuses to drop a key with a subscriber that was attached before initialize()', async () => {
    const old = await openOld();
    await old.manager.insert(OldBooking, {});
    const dataSource = new DataSource({ ...options, entities: NEW, synchronize: true } as DataSourceOptions);
    attachSnowflake(dataSource, new CountingSource());

    await expect(dataSource.initialize()).rejects.toThrow(ColumnDropError);
    await expect(old.manager.count(OldBooking)).resolves.toBe(1);
  });

  it('synchronizes where no row is lost: empty tables, and an app that starts again', async () => {
    await openOld();
    const dataSource = await open(NEW, listed);
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.manager.insert(Booking, {});

    const again = await open(NEW, listed);

    await expect(again.manager.count(Booking)).resolves.toBe(1);
  });

  it('synchronizes where the app drops the schema anyway', async () => {
    const old = await openOld();
    await old.manager.insert(OldBooking, {});

    await expect(open(NEW, { ...listed, dropSchema: true })).resolves.toBeDefined();
  });

  describe('without the subscriber in the options, as the warning in the guide says', () => {
    it('loses the values of a reference silently without the subscriber (control)', async () => {
      const old = await openOld();
      const bookingId = kind === 'postgres' ? '"bookingId"' : 'bookingId';
      await old.query(`INSERT INTO note (number, ${bookingId}) VALUES (1, 5)`);

      await open(NEW);

      await expect(rowsOf(old, 'note')).resolves.toEqual([{ number: 1, bookingId: null }]);
    });

    if (kind === 'mariadb') {
      it('loses the keys for good without the subscriber (control)', async () => {
        const old = await openOld();
        await old.manager.insert(OldBooking, [{ guest: 'a' }, { guest: 'b' }]);

        await expect(open(NEW)).rejects.toThrow("Duplicate entry '0'");

        await expect(rowsOf(old, 'booking')).resolves.not.toMatchObject([{ id: 1 }, { id: 2 }]);
      });
    }

    it('loses the reference with migrationsTransactionMode none, as the warning in the guide says', async () => {
      const old = await openOld();
      const bookingId = kind === 'postgres' ? '"bookingId"' : 'bookingId';
      await old.query(`INSERT INTO note (number, ${bookingId}) VALUES (1, 5)`);

      await open(NEW, { ...listed, migrationsTransactionMode: 'none' });

      await expect(rowsOf(old, 'note')).resolves.toEqual([{ number: 1, bookingId: null }]);
    });
  });
});
