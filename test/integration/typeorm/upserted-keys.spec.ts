import { SnowflakeColumn, snowflakeColumn, snowflakeSchema } from 'nestjs-snowflake/typeorm';
import { Column, type DataSource, Entity, EntitySchema } from 'typeorm';
import { dataSourceOf, DRIVERS } from './support/databases.js';

@Entity()
class Passport {
  @SnowflakeColumn({ primary: true }) ownerId!: string;

  @Column({ type: 'varchar', length: 20, unique: true }) number!: string;

  @Column({ type: 'int' }) pages!: number;
}

@Entity()
class Seat {
  @SnowflakeColumn({ primary: true, update: true }) ownerId!: string;

  @Column({ type: 'varchar', length: 20, unique: true }) number!: string;

  @SnowflakeColumn() guestId!: string;
}

const Badge = snowflakeSchema(
  new EntitySchema<{ ownerId: string; number: string; pages: number }>({
    name: 'Badge',
    columns: {
      ownerId: snowflakeColumn({ primary: true }),
      number: { type: 'varchar', length: 20, unique: true },
      pages: { type: 'int' },
    },
  }),
);

describe.each(DRIVERS)(
  'an upsert that meets a row whose key the application set, with %s [promise: exact-keys]',
  (driver) => {
    let dataSource: DataSource;

    beforeAll(async () => {
      dataSource = await dataSourceOf(driver, 'upserted keys', { entities: [Passport, Seat, Badge] });
      await dataSource.initialize();
    });
    afterAll(() => dataSource.destroy());

    it.each([
      ['class', Passport],
      ['schema', Badge],
    ])('leaves the key of a row that an upsert meets alone: %s', async (_, entity) => {
      const rows = dataSource.getRepository<Passport>(entity);
      await rows.insert({ ownerId: '5', number: 'a', pages: 1 });

      await rows.upsert({ ownerId: '6', number: 'a', pages: 2 }, ['number']);

      await expect(rows.find()).resolves.toEqual([{ ownerId: '5', number: 'a', pages: 2 }]);
    });

    it('changes the key in an upsert where the application asks for that, and any other ID (control)', async () => {
      const seats = dataSource.getRepository(Seat);
      await seats.insert({ ownerId: '5', number: 'a', guestId: '1' });

      await seats.upsert({ ownerId: '6', number: 'a', guestId: '2' }, ['number']);

      await expect(seats.find()).resolves.toEqual([{ ownerId: '6', number: 'a', guestId: '2' }]);
    });
  },
);
