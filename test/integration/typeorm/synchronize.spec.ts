import {
  ColumnDropError,
  attachSnowflake,
  SnowflakeColumn,
  SnowflakeId,
  SnowflakeSubscriber,
} from 'nestjs-snowflake/typeorm';
import {
  Column,
  DataSource,
  Entity,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type DataSourceOptions,
} from 'typeorm';
import { optionsFor } from './support/databases.js';
import { CountingSource } from './support/sources.js';

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
