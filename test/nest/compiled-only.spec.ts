import { Test, type TestingModule } from '@nestjs/testing';
import libsql from 'libsql';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { DataSource, Entity } from 'typeorm';

@Entity('parcel')
class Parcel {
  @SnowflakeId()
  id!: string;
}

describe('a test of an app with entities', () => {
  let dataSource: DataSource;
  let app: TestingModule;

  beforeEach(async () => {
    dataSource = await new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: ':memory:',
      prepareDatabase,
      entities: [Parcel],
      synchronize: true,
    }).initialize();
    app = await Test.createTestingModule({
      imports: [SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) })],
      providers: [{ provide: DataSource, useValue: dataSource }],
    }).compile();
  });
  afterEach(async () => {
    await app.close();
    await dataSource.destroy();
  });

  const save = (): Promise<Parcel> => dataSource.getRepository(Parcel).save(new Parcel());

  it('has no IDs in its rows after compile() alone', async () => {
    await expect(save()).rejects.toThrow('NOT NULL constraint failed: parcel.id');
  });

  it('has them after init()', async () => {
    await app.init();
    expect(app.get(SnowflakeIdMaker).decode((await save()).id).workerId).toBe(7);
  });
});
