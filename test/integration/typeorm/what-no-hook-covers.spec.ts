import { attachSnowflake, SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { BeforeInsert, Column, type DataSource, Entity, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import { dataSourceFor, KINDS } from './support/databases.js';
import { CountingSource } from './support/sources.js';

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
