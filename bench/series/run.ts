/**
 * `npm run bench -- series`: documents per second with and without the number of a series, each in a transaction of its own, on
 * PostgreSQL, MariaDB and SQLite. Starts private servers, checks that the numbers have no gap, prints the table of
 * docs/reference/series.md and writes docs/bench/series.json.
 *
 * `--seconds 5` is how long each way is measured with each number of transactions. `--quick` measures nothing, and writes no file.
 */
import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import libsql from 'libsql';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { Segments, type SegmentSource, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { createSeriesTables, Series, SeriesSubscriber } from 'nestjs-snowflake-series';
import { attachSnowflake, prepareDatabase, SnowflakeSubscriber } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { startMariaDb, startPostgres } from '../../test/support/servers/index.js';
import { median } from '../support/quantile.js';
import { writeResults } from '../support/results.js';
import { markdownTable } from '../support/table.js';
import { ENTITIES, NumberedDocument, type Way, WAYS } from './documents.js';

const AT_A_TIME = [1, 8];

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
});
const { rounds, warmUpMs, measuredMs } = values.quick
  ? { rounds: 1, warmUpMs: 20, measuredMs: 50 }
  : { rounds: 3, warmUpMs: 300, measuredMs: Number(values.seconds) * 1_000 };
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

/** The rows that a database inserted per second. */
interface Rates {
  readonly database: string;
  readonly byWay: Record<string, { readonly oneAtATime: number; readonly eightAtATime: number }>;
}

/** A connected database, with a source of numbers. */
interface OpenPlace {
  readonly dataSource: DataSource;
  readonly numbers: SegmentSource;
  close(): Promise<void>;
}

async function openPlace({ options }: Place, ids: SnowflakeIdMaker): Promise<OpenPlace> {
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
  const store = sqlSegmentStore({ dataSource, createTable: true });
  const segments = new Segments({ store, tags: ['document'] });
  await segments.start();
  return {
    dataSource,
    numbers: segments.source('document'),
    async close() {
      await segments.stop();
      await dataSource.destroy();
    },
  };
}

/** Returns documents per second. */
async function measure(
  { dataSource, numbers }: OpenPlace,
  way: Way,
  atATime: number,
  ms: number,
): Promise<number> {
  const startMs = performance.now();
  let documents = 0;
  const insertAll = async (): Promise<void> => {
    while (performance.now() - startMs < ms) {
      const row = { tenantId: `tenant-${documents++ % way.scopes}`, issuedOn: '2026-06-30' };
      if (way.hasSegmentKey) {
        // Another of the eight may take what has come before this one continues.
        do await numbers.ready();
        while (!numbers.canIssue);
        Object.assign(row, { id: numbers.nextString() });
      }
      await series.transaction(dataSource, (manager) => manager.insert(way.entity, row));
    }
  };
  await Promise.all(Array.from({ length: atATime }, insertAll));
  return (documents / (performance.now() - startMs)) * 1_000;
}

/** Measures the ways in turn, so that a disturbance of the host affects all of them alike. */
async function measurePlace(place: Place, ids: SnowflakeIdMaker): Promise<Rates> {
  const opened = await openPlace(place, ids);
  try {
    const rates = new Map<string, number[]>();
    for (const way of WAYS) await measure(opened, way, 1, warmUpMs);
    for (let round = 0; round < rounds; round += 1) {
      for (const atATime of AT_A_TIME) {
        for (const way of WAYS) {
          const key = `${way.name} ${atATime}`;
          rates.set(key, [
            ...(rates.get(key) ?? []),
            await measure(opened, way, atATime, measuredMs / rounds),
          ]);
        }
      }
    }
    await requireNoGap(place.name, opened.dataSource);
    const byWay = WAYS.map(({ name }) => {
      const [oneAtATime, eightAtATime] = AT_A_TIME.map((atATime) =>
        Math.round(median(rates.get(`${name} ${atATime}`) ?? [])),
      );
      return [name, { oneAtATime, eightAtATime }] as const;
    });
    return { database: place.name, byWay: Object.fromEntries(byWay) as Rates['byWay'] };
  } finally {
    await opened.close();
  }
}

/** @throws Error if a number is missing, or two documents have the same */
async function requireNoGap(place: string, dataSource: DataSource): Promise<void> {
  const audits = await series.audit('document', { manager: dataSource.manager });
  const documents = await dataSource.getRepository(NumberedDocument).count();
  const numbers = audits.reduce((sum, { last }) => sum + last, 0);
  const isClean = audits.every(
    ({ gaps, duplicates, withoutDocument }) => gaps.length + duplicates.length + withoutDocument.length === 0,
  );
  if (!isClean || numbers !== documents) {
    throw new Error(`${place}: ${numbers} numbers, ${documents} documents: ${JSON.stringify(audits)}`);
  }
}

function tableOf(measured: readonly Rates[]): string {
  const rows = measured.map(({ database, byWay }) => [
    database,
    ...Object.values(byWay).map(({ oneAtATime, eightAtATime }) =>
      [oneAtATime, eightAtATime].map((rate) => rate.toLocaleString('en-US')).join(' / '),
    ),
  ]);
  return markdownTable(['Database', ...WAYS.map(({ name }) => name)], rows);
}

const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 1 }) });
await ids.start();
const measured: Rates[] = [];
for (const open of [openPostgres, openMariaDb, openSqlite]) {
  const place = await open();
  measured.push(await measurePlace(place, ids).finally(() => place.stop()));
}
await ids.stop();
console.log(`Documents per second, one transaction at a time / eight:\n\n${tableOf(measured)}`);
if (!values.quick) await writeResults('series', measured);
