import { attachSnowflake, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { Column, type DataSource, DeleteDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { dataSourceFor } from './support/databases.js';
import { CountingSource } from './support/sources.js';

@Entity()
class Account {
  @SnowflakeId() id!: string;

  @SnowflakeId({ primary: false }) traceId!: string;

  @PrimaryColumn({ type: 'varchar', length: 20 }) owner!: string;

  @Column({ type: 'int', default: 0 }) cents!: number;

  @DeleteDateColumn() closed?: Date | null;
}

/** The other databases return nothing from an UPDATE. */
describe('the keys of objects that an UPDATE of PostgreSQL returns', () => {
  let dataSource: DataSource;
  /** In another order than their rows. */
  let objects: Account[];

  beforeAll(async () => {
    dataSource = await dataSourceFor('postgres', 'updated keys', { entities: [Account] });
    attachSnowflake(dataSource, new CountingSource());
    await dataSource.initialize();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(async () => {
    await dataSource.manager.clear(Account);
    await dataSource.manager.insert(Account, [{ owner: 'ann' }, { owner: 'bob' }]);
    objects = await dataSource.manager.find(Account, { order: { owner: 'DESC' } });
  });

  const RETURNED = ['id', 'owner', 'traceId'];
  const builder = () => dataSource.manager.createQueryBuilder();
  const keys = () => objects.map(({ id, owner, traceId }) => ({ id, owner, traceId }));

  it.each([
    ['an update', () => builder().update(Account).set({ cents: 5 }).whereEntity(objects)],
    ['a soft delete', () => builder().softDelete().from<Account>(Account).whereEntity(objects)],
    ['a restoration', () => builder().restore().from<Account>(Account).whereEntity(objects)],
  ])('stay theirs in %s', async (name, statement) => {
    const before = keys();
    if (name === 'a restoration') await dataSource.manager.softDelete(Account, { cents: 0 });

    await statement().returning(RETURNED).execute();

    expect(before.map(({ owner }) => owner)).toEqual(['bob', 'ann']);
    expect(keys()).toEqual(before);
  });

  it('stay absent where they were not read', async () => {
    const partial = objects.map(({ id, owner }) => ({ id, owner }) as Account);
    const update = builder().update(Account).set({ cents: 5 }).whereEntity(partial);

    await update.returning(RETURNED).execute();

    expect(partial.map(({ traceId }) => traceId)).toEqual([undefined, undefined]);
  });

  it('become what the update writes', async () => {
    const update = builder().update(Account).set({ owner: 'eve' }).whereEntity(objects);

    await update.returning(RETURNED).execute();

    expect(objects.map(({ owner }) => owner)).toEqual(['eve', 'eve']);
  });

  it('come from the row where there is one', async () => {
    const [{ id, owner, traceId }] = objects as [Account];
    const partial = { id, owner } as Account;

    await builder().update(Account).set({ cents: 5 }).whereEntity(partial).returning(RETURNED).execute();

    expect(partial.traceId).toBe(traceId);
  });

  it('do not hide why an update failed', async () => {
    const update = builder().update(Account).set({ cents: 1e12 }).whereEntity(objects);

    await expect(update.returning(RETURNED).execute()).rejects.toThrow('out of range');
  });
});
