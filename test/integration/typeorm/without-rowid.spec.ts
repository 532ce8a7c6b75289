import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, type DataSource, Entity } from 'typeorm';
import { dataSourceFor } from './support/databases.js';
import { CountingSource } from './support/sources.js';

@Entity('parcel', { withoutRowid: true })
class Parcel {
  @SnowflakeId() id!: string;

  @Column({ type: 'int' }) grams!: number;
}

describe('a table of SQLite without a rowid [promise: exact-keys]', () => {
  const ids = new CountingSource();
  let dataSource: DataSource;

  beforeAll(async () => {
    dataSource = await dataSourceFor('sqlite', 'without-rowid', { entities: [Parcel] });
    attachSnowflake(dataSource, ids);
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());

  it('holds exact IDs in one tree of a table without a rowid', async () => {
    const { id } = await dataSource.getRepository(Parcel).save({ grams: 20 });

    await expect(dataSource.getRepository(Parcel).findOneBy({ id })).resolves.toEqual({ id, grams: 20 });
    const trees: unknown[] = await dataSource.query("SELECT name FROM dbstat WHERE name LIKE '%parcel%'");
    expect(trees).toEqual([{ name: 'parcel' }]);
  });

  it('makes no IDs of its own, as a key of type integer would (control)', async () => {
    const before = await dataSource.getRepository(Parcel).count();

    await expect(dataSource.query('INSERT INTO parcel (grams) VALUES (1)')).rejects.toThrow(/NOT NULL/);
    await expect(dataSource.getRepository(Parcel).count()).resolves.toBe(before);
  });
});
