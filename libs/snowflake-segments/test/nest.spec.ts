import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  getSegmentToken,
  InjectSegment,
  memorySegmentStore,
  SegmentModule,
  type SegmentModuleAsyncOptions,
  Segments,
  SegmentSource,
  sqlSegmentStore,
} from 'nestjs-snowflake-segments';
import { SegmentId } from 'nestjs-snowflake/typeorm';
import { Column, DataSource, Entity } from 'typeorm';
import { sqliteOptions } from '../../../test/integration/sql-store/support/databases.js';

@Entity()
class Ticket {
  @SegmentId('ticket') id!: string;
  @Column({ type: 'varchar' }) title!: string;
}

@Entity()
class Orphan {
  @SegmentId('nowhere') id!: string;
}

@Injectable()
class Tickets {
  constructor(@InjectSegment('ticket') readonly source: SegmentSource) {}
}

let folder: string;
const apps: TestingModule[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snowflake-segments-'));
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  rmSync(folder, { recursive: true });
});

async function boot(options: SegmentModuleAsyncOptions, ...entities: (typeof Ticket | typeof Orphan)[]) {
  const database = TypeOrmModule.forRoot({
    ...sqliteOptions(join(folder, 'app.sqlite')),
    entities,
    synchronize: true,
    retryAttempts: 0,
  });
  const app = await Test.createTestingModule({
    imports: [...(entities.length > 0 ? [database] : []), SegmentModule.forRootAsync(options)],
    providers: [Tickets],
  }).compile();
  app.useLogger(false);
  apps.push(app);
  return app.init();
}

const onAppDatabase: SegmentModuleAsyncOptions = {
  tags: ['ticket'],
  inject: [DataSource],
  useFactory: (dataSource: DataSource) => ({ store: sqlSegmentStore({ dataSource, createTable: true }) }),
};

describe('SegmentModule [promise: segments]', () => {
  it('creates a tag as its factory says, which can ask the database', async () => {
    const startAfter = async (dataSource: DataSource) =>
      (await dataSource.query<{ highest: string }[]>('SELECT 48211 AS highest'))[0]?.highest;
    const app = await boot(
      {
        ...onAppDatabase,
        useFactory: (dataSource: DataSource) => ({
          store: sqlSegmentStore({ dataSource, createTable: true }),
          tags: [{ tag: 'ticket', startAfter: () => startAfter(dataSource) }, 'unnamed'],
        }),
      },
      Ticket,
    );
    expect(app.get(Tickets).source.next()).toBe(48_212);
    expect(app.get(Segments).source('unnamed').next()).toBe(1);
  });

  it('has a number for each row of a save with more rows than available numbers', async () => {
    const app = await boot(onAppDatabase, Ticket);
    const tickets = Array.from({ length: 5000 }, (_, index) =>
      Object.assign(new Ticket(), { title: `t${index}` }),
    );
    await app.get(DataSource).manager.save(tickets);
    expect(new Set(tickets.map(({ id }) => id)).size).toBe(5000);
  });

  it('has numbers when the app has booted, for injection and for entities', async () => {
    const app = await boot(onAppDatabase, Ticket);
    expect(app.get(Tickets).source.next()).toBe(1);
    const repository = app.get(DataSource).getRepository(Ticket);
    const saved = await repository.save([{ title: 'a' }, { title: 'b' }]);
    expect(saved.map(({ id }) => id)).toEqual(['2', '3']);
    await repository.save({ id: '77', title: 'own' });
    expect((await repository.find({ order: { id: 'ASC' } })).map(({ id }) => id)).toEqual(['2', '3', '77']);
  });

  it('refuses to boot without a store', async () => {
    const options = { tags: ['ticket'], useFactory: () => ({}) } as unknown as SegmentModuleAsyncOptions;
    await expect(boot(options)).rejects.toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'store' });
  });

  it('refuses to boot if the class itself is imported, since it has no options', async () => {
    const compiled = Test.createTestingModule({ imports: [SegmentModule] }).compile();
    await expect(compiled).rejects.toThrow(/^imports lists the class itself.*SegmentModule\.forRoot\(/);
  });

  it('leaves the life cycle of sources that a test provides to the test', async () => {
    const segments = new Segments({ store: memorySegmentStore(), tags: ['ticket'] });
    await segments.start();
    const app = await Test.createTestingModule({
      imports: [
        SegmentModule.forRootAsync({ tags: ['ticket'], useFactory: () => Promise.reject(new Error()) }),
      ],
    })
      .overrideProvider(Segments)
      .useValue(segments)
      .compile();
    await app.init();
    await app.close();
    expect(segments.source('ticket').next()).toBe(1);
    await segments.stop();
  });

  it('returns the unused numbers when the app shuts down, so that a restart loses no number', async () => {
    for (const wanted of [1, 2, 3]) {
      const app = await boot(onAppDatabase, Ticket);
      expect(app.get(Tickets).source.next()).toBe(wanted);
      apps.splice(0);
      await app.close();
    }
  });

  it('makes tags while the app runs', async () => {
    const app = await boot({ tags: ['ticket'], useFactory: () => ({ store: memorySegmentStore() }) });
    const source = await app.get(Segments).create({ tag: 'tenant:9', startAfter: 41 });
    expect(source.next()).toBe(42);
    expect(app.get(getSegmentToken('ticket'))).toBe(app.get(Segments).source('ticket'));
  });

  it('refuses to boot with an entity whose tag is not listed (control)', async () => {
    await expect(boot(onAppDatabase, Ticket, Orphan)).rejects.toThrow(
      /Orphan\.id uses the tag 'nowhere', which is not registered.*tags: \['nowhere'\]/,
    );
  });

  it('returns all numbers if the app fails to boot', async () => {
    const store = memorySegmentStore();
    const failing = boot({ tags: ['ticket', 'b'], useFactory: () => ({ store, maxStep: 0 }) });
    await expect(failing).rejects.toMatchObject({ option: 'maxStep' });
    const closed = { isClosed: false };
    const watched = Object.assign(Object.create(store) as typeof store, {
      close: async () => void (closed.isClosed = true),
    });
    const options = { store: watched, createTags: false };
    await expect(boot({ tags: ['ticket'], useFactory: () => options })).rejects.toMatchObject({
      code: 'SNOWFLAKE_UNKNOWN_TAG',
    });
    expect(closed.isClosed).toBe(true);
  });

  it.each([
    ['tag', { tags: ['a b'], useFactory: () => ({ store: memorySegmentStore() }) }],
    ['isGlobal', { isGlobal: 1, useFactory: () => ({ store: memorySegmentStore() }) }],
    ['forRootAsync(options)', 'options'],
  ])('refuses a wrong %s', (option, options) => {
    expect(() => SegmentModule.forRootAsync(options as SegmentModuleAsyncOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});

describe('@SegmentId()', () => {
  it('refuses a name that no tag can have', () => {
    expect(() => SegmentId('a b')).toThrow(expect.objectContaining({ option: 'tag' }));
  });
});
