/**
 * The child of copies.spec.ts: apps whose modules come from this copy of the packages, and whose entities and a service come from
 * another one. The first argument is where to look for that, and the others are the checks to do.
 */
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { Inject, type INestApplicationContext, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import libsql from 'libsql';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { BitLayout, IdDecoder, InvalidIdError, SnowflakeError } from 'nestjs-snowflake/core';
import {
  attachSnowflake,
  prepareDatabase,
  SnowflakeId,
  SnowflakeSubscriber,
  verifySnowflakeDataSource,
} from 'nestjs-snowflake/typeorm';
import { Series, SeriesModule, SeriesSubscriber } from 'nestjs-snowflake-series';
import { DataSource, Entity, EntitySchema, PrimaryColumn } from 'typeorm';

const [from = '', ...checks] = process.argv.slice(2);
const other = createRequire(from);
const core = other('nestjs-snowflake/core') as typeof import('nestjs-snowflake/core');
const root = other('nestjs-snowflake') as typeof import('nestjs-snowflake');
const typeorm = other('nestjs-snowflake/typeorm') as typeof import('nestjs-snowflake/typeorm');
const series = other('nestjs-snowflake-series') as typeof import('nestjs-snowflake-series');

@Entity()
class Theirs {
  @typeorm.SnowflakeId() id!: string;
}

const schema = typeorm.snowflakeSchema(
  new EntitySchema<{ id: string }>({ name: 'Schema', columns: { id: typeorm.snowflakeIdColumn() } }),
);

@Entity()
class Invoice {
  @PrimaryColumn() id!: number;
  @series.SeriesNumber({ series: 'invoice', format: 'INV-{number:4}', zone: 'UTC', resets: 'never' })
  number!: string;
}

const dataSource = (entities: ((new () => object) | typeof schema)[]): DataSource =>
  new DataSource({
    type: 'better-sqlite3',
    driver: libsql,
    database: ':memory:',
    prepareDatabase,
    synchronize: true,
    entities,
    subscribers: [SnowflakeSubscriber, SeriesSubscriber],
  });

/** Boots an app with the modules of this copy around a database. */
async function withApp<Result>(
  database: DataSource,
  use: (app: INestApplicationContext) => Promise<Result>,
  more: ModuleMetadata = {},
): Promise<Result> {
  await database.initialize();
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 1 }) }),
      SeriesModule.forRoot({ createTable: true }),
      ...(more.imports ?? []),
    ],
    providers: [{ provide: DataSource, useValue: database }, ...(more.providers ?? [])],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  try {
    return await use(app);
  } finally {
    await app.close();
    await database.destroy();
  }
}

/** Inserts a row, and returns which worker has generated its ID. */
async function workerOfNew(
  database: DataSource,
  entity: (new () => { id: string }) | typeof schema,
): Promise<number> {
  const { id } = await database.getRepository<{ id: string }>(entity).save({});
  return new IdDecoder(new BitLayout()).decode(id).workerId;
}

const CHECKS: Readonly<Record<string, () => Promise<unknown>>> = {
  async entities() {
    @Entity()
    class Mine {
      @SnowflakeId() id!: string;
    }
    const database = dataSource([Mine, Theirs]);
    return withApp(database, async () => [
      await workerOfNew(database, Mine),
      await workerOfNew(database, Theirs),
    ]);
  },
  // This copy has declared no column, so it has to learn of databases from the other one.
  async 'theirs alone'() {
    const database = dataSource([Theirs]);
    return withApp(database, () => workerOfNew(database, Theirs));
  },
  async schemas() {
    const database = dataSource([schema]);
    return withApp(database, () => workerOfNew(database, schema));
  },
  async numbers() {
    const database = dataSource([Invoice]);
    return withApp(database, (app) =>
      app
        .get(Series)
        .transaction(database, async (manager) => (await manager.save(Invoice, { id: 1 })).number),
    );
  },
  async injection() {
    class Service {
      @Inject(root.SnowflakeIdMaker) readonly ids!: SnowflakeIdMaker;
      @Inject(series.Series) readonly series!: Series;
    }
    const use = async (app: INestApplicationContext) => {
      const service = app.get(Service);
      return [service.ids.status().state, service.series === app.get(Series)];
    };
    return withApp(dataSource([]), use, { providers: [Service] });
  },
  async 'without Nest'() {
    const database = dataSource([Theirs]);
    const ids = new root.SnowflakeIdMaker({ store: root.staticLeaseStore({ workerId: 1 }) });
    await ids.start();
    attachSnowflake(database, ids);
    await database.initialize();
    await verifySnowflakeDataSource(database);
    return workerOfNew(database, Theirs);
  },
  async 'a name registered in both'() {
    const theirs = root.SnowflakeModule.forRoot({ store: root.staticLeaseStore({ workerId: 2 }) });
    return withApp(dataSource([]), async () => 'boots', { imports: [theirs] });
  },
  async 'a fixed worker ID in both'() {
    const makers = [SnowflakeIdMaker, root.SnowflakeIdMaker].map(
      (Maker) => new Maker({ store: staticLeaseStore({ workerId: 1 }) }),
    );
    for (const maker of makers) await maker.start();
    const made = new Set<string>();
    for (let round = 0; round < 100_000; round += 1) {
      for (const maker of makers) {
        const id = maker.nextId();
        if (made.has(id)) return 'a duplicate';
        made.add(id);
      }
    }
    return 'no duplicate';
  },
  async errors() {
    const error = thrownBy(() => new core.IdDecoder(new core.BitLayout()).decode('x'));
    return [
      error instanceof InvalidIdError,
      error instanceof SnowflakeError,
      error instanceof core.InvalidOptionError,
      new Error('x') instanceof SnowflakeError,
    ];
  },
  async layouts() {
    const layout = new core.BitLayout({ workerBits: 8 });
    return new IdDecoder(layout).decode(layout.compose({ tick: 1, workerId: 3, sequence: 0 })).workerId;
  },
};

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

const results: Record<string, unknown> = {};
for (const name of checks) results[name] = await CHECKS[name]!().catch((error: Error) => error.message);
process.send?.({ results }, () => process.exit());
