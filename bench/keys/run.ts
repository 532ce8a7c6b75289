/**
 * `npm run bench -- keys`: what a kind of key costs the database, without an ORM: orders with three indexes beside the key, and foreign keys
 * to customers and products, in PostgreSQL and MariaDB. Starts private servers, and writes docs/bench/keys.json.
 */
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { startMariaDb, startPostgres } from '../../test/support/servers/index.js';
import { rotated, Samples } from '../db/samples.js';
import { progress } from '../support/progress.js';
import { writeResults } from '../support/results.js';
import { type KeyKind, keyKinds } from './key-kinds.js';
import { reportOf } from './report.js';
import type { KeysResult } from './result.js';
import { CHUNK_ROWS, type DatabaseType, Shop } from './shop.js';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const ROWS = values.quick ? 2000 : Number(values.rows);
const INSERT_ROUNDS = values.quick ? 1 : 100;
const JOIN_ROUNDS = values.quick ? 1 : 10;
const FULL_ROWS = 1_000_000;

const DATABASES = {
  postgres: { label: 'PostgreSQL', start: () => startPostgres() },
  // Its tests make do with a buffer pool of 32 MB. The tables fit into this one, as they do into PostgreSQL's page cache.
  mariadb: { label: 'MariaDB', start: () => startMariaDb({ settings: { 'innodb-buffer-pool-size': '2G' } }) },
};

async function measure(type: DatabaseType, kinds: readonly KeyKind[]): Promise<KeysResult> {
  const { label, start } = DATABASES[type];
  const server = await start();
  const shops: Shop[] = [];
  const show = progress(label, ROWS);
  try {
    for (const kind of kinds)
      shops.push(await Shop.open(type, await server.createDatabase(kind.name), kind, ROWS));
    for (let rows = 0; rows < ROWS; rows += CHUNK_ROWS) {
      for (const shop of rotated(shops, rows / CHUNK_ROWS)) await shop.insertChunk();
      show.step(rows, `${rows.toLocaleString('en-US')} rows in each table`);
    }
    const inserts = await sampled(
      shops,
      INSERT_ROUNDS,
      async (shop) => ((await shop.insertChunk()) * 1000) / CHUNK_ROWS,
    );
    for (const shop of shops) await shop.settle();
    const joins = await sampled(shops, JOIN_ROUNDS, async (shop) => (await shop.join()) * 1000);
    return await resultOf(label, kinds, shops, inserts, joins);
  } finally {
    await Promise.all(shops.map((shop) => shop.close()));
    await server.stop();
    show.end();
  }
}

/** Measures all tables in turn, so that a disturbance of the host affects all keys alike. */
async function sampled(
  shops: readonly Shop[],
  rounds: number,
  micros: (shop: Shop) => Promise<number>,
): Promise<Samples> {
  const samples = new Samples();
  for (let round = 0; round < rounds; round++)
    for (const shop of rotated(shops, round)) samples.add(shop.kind.name, await micros(shop));
  return samples;
}

async function resultOf(
  database: string,
  kinds: readonly KeyKind[],
  shops: readonly Shop[],
  inserts: Samples,
  joins: Samples,
): Promise<KeysResult> {
  const base = kinds[0]?.name ?? '';
  const keys: KeysResult['keys'][number][] = [];
  for (const { kind, sizes } of await Promise.all(
    shops.map(async (shop) => ({ kind: shop.kind, sizes: await shop.sizes() })),
  )) {
    if (sizes.repeated > 0)
      throw new Error(`${database}, ${kind.label}: ${sizes.repeated} keys are repeated`);
    keys.push({
      label: kind.label,
      bytesPerRow: Math.round((sizes.rows + sizes.indexes) / sizes.count),
      insert: inserts.summary(kind.name, base),
      join: joins.summary(kind.name, base),
    });
  }
  return { database, tableRows: ROWS, keys };
}

const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 1 }) });
await ids.start();
const results: KeysResult[] = [];
for (const type of ['postgres', 'mariadb'] as const) results.push(await measure(type, keyKinds(ids)));
await ids.stop();
process.stdout.write(`${results.map(reportOf).join('\n\n')}\n`);
if (values.write || (!values.quick && ROWS >= FULL_ROWS)) await writeResults('keys', results);
