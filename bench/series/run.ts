/**
 * `npm run bench:series`: documents per second with and without the number of a series, each in a transaction of its own, on
 * PostgreSQL, MariaDB and SQLite. Starts private servers, writes nothing.
 *
 * `--seconds 5` is how long each way is measured.
 */
import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import libsql from 'libsql';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { createSeriesTables, Series, SeriesSubscriber } from 'nestjs-snowflake/series';
import { attachSnowflake, prepareDatabase, SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { startMariaDb, startPostgres } from '../../test/support/servers/index.js';
import { provideServers } from '../../test/support/servers/provision.js';
import { ENTITIES, WAYS, type Way } from './documents.js';

const AT_A_TIME = [1, 8];
const ROUNDS = 3;
const WARM_UP_MS = 300;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
const series = new Series();

interface Place {
  readonly name: string;
  readonly options: DataSourceOptions;
  stop(): Promise<void>;
}

async function openPostgres(): Promise<Place> {
  const server = await startPostgres();
  const url = await server.createDatabase('series');
  return { name: 'PostgreSQL', options: { type: 'postgres', url, poolSize: 8 }, stop: () => server.stop() };
}

async function openMariaDb(): Promise<Place> {
  const server = await startMariaDb();
  const url = await server.createDatabase('series');
  return { name: 'MariaDB', options: { type: 'mariadb', url, poolSize: 8 }, stop: () => server.stop() };
}

async function openSqlite(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'snowflake-bench-series-'));
  const database = join(folder, 'documents.sqlite');
  const options = {
    type: 'better-sqlite3',
    driver: libsql,
    database,
    prepareDatabase,
    enableWAL: true,
  } as const;
  return { name: 'SQLite', options, stop: () => rm(folder, { recursive: true }) };
}

async function connect({ options }: Place, ids: SnowflakeIdMaker): Promise<DataSource> {
  const subscribers = [SnowflakeSubscriber, SeriesSubscriber];
  const dataSource = new DataSource({
    ...options,
    entities: ENTITIES,
    subscribers,
    synchronize: true,
  } as DataSourceOptions);
  attachSnowflake(dataSource, ids);
  await dataSource.initialize();
  await createSeriesTables(dataSource);
  return dataSource;
}

/** Returns documents per second. */
async function measure(dataSource: DataSource, way: Way, atATime: number, forMs: number): Promise<number> {
  const startMs = performance.now();
  let documents = 0;
  const insertAll = async (): Promise<void> => {
    while (performance.now() - startMs < forMs) {
      const row = { tenantId: `tenant-${documents++ % way.scopes}`, issuedOn: '2026-06-30' };
      await series.transaction(dataSource, (manager) => manager.insert(way.entity, row));
    }
  };
  await Promise.all(Array.from({ length: atATime }, insertAll));
  return (documents / (performance.now() - startMs)) * 1_000;
}

/** Measures the ways in turns, so that whatever disturbs the machine disturbs all alike. */
async function measurePlace(place: Place, ids: SnowflakeIdMaker): Promise<void> {
  const dataSource = await connect(place, ids);
  const forMs = (Number(values.seconds) * 1_000) / ROUNDS;
  const rates = new Map<string, number[]>();
  for (const way of WAYS) await measure(dataSource, way, 1, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const atATime of AT_A_TIME) {
      for (const way of WAYS) {
        const key = `${way.name} | ${atATime}`;
        rates.set(key, [...(rates.get(key) ?? []), await measure(dataSource, way, atATime, forMs)]);
      }
    }
  }
  await dataSource.destroy();
  for (const [key, found] of rates) {
    const median = found.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
    console.log(`| ${place.name} | ${key} | ${Math.round(median).toLocaleString('en-US')} |`);
  }
}

await provideServers({ areAllNeeded: true });
const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 1 }) });
await ids.start();
console.log('| Database | Documents with | At a time | Documents per second |\n| --- | --- | --- | --- |');
for (const open of [openPostgres, openMariaDb, openSqlite]) {
  const place = await open();
  await measurePlace(place, ids).finally(() => place.stop());
}
await ids.stop();
