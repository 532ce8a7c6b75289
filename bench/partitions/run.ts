/**
 * `npm run bench -- partitions`: how long it takes to remove a month of rows with `DELETE`, and by dropping its partition, on PostgreSQL and
 * MariaDB. Starts private servers, and prints the figures of docs/guides/database-ids.md.
 *
 * `--rows 1000000` is how many rows a month has. `--quick` measures nothing.
 */
import 'reflect-metadata';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { DataSource, type QueryRunner } from 'typeorm';
import { DURABLE_SETTINGS, startMariaDb, startPostgres } from '../../test/support/servers/index.js';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, quick: { type: 'boolean', default: false } },
});
const ROWS = values.quick ? 100 : Number(values.rows);

const decoder = new IdDecoder(new BitLayout());
const NOVEMBER = decoder.firstIdAt('2026-11-01');
const DECEMBER = decoder.firstIdAt('2026-12-01');
const JANUARY = decoder.firstIdAt('2027-01-01');
/** Spreads the rows of a month evenly over it. */
const STEP = (BigInt(DECEMBER) - BigInt(NOVEMBER)) / BigInt(ROWS);

const DATABASES = {
  postgres: {
    label: 'PostgreSQL',
    start: () => startPostgres({ settings: DURABLE_SETTINGS.postgres }),
    create: [
      'CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint NOT NULL, total numeric NOT NULL) PARTITION BY RANGE (id)',
      `CREATE TABLE orders_11 PARTITION OF orders FOR VALUES FROM (${NOVEMBER}) TO (${DECEMBER})`,
      `CREATE TABLE orders_12 PARTITION OF orders FOR VALUES FROM (${DECEMBER}) TO (${JANUARY})`,
      'CREATE INDEX ON orders (customer_id)',
    ],
    fill: (from: string) =>
      `INSERT INTO orders SELECT ${from} + n * ${STEP}, n % 1000, 12.5 FROM generate_series(0, ${ROWS - 1}) AS n`,
    drop: ['ALTER TABLE orders DETACH PARTITION orders_12 CONCURRENTLY', 'DROP TABLE orders_12'],
  },
  mariadb: {
    label: 'MariaDB',
    // The tests make do with a buffer pool of 32 MB.
    start: () => startMariaDb({ settings: { ...DURABLE_SETTINGS.mariadb, 'innodb-buffer-pool-size': '1G' } }),
    create: [
      `CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint NOT NULL, total decimal(12, 2) NOT NULL, KEY (customer_id))
       PARTITION BY RANGE (id) (PARTITION p11 VALUES LESS THAN (${DECEMBER}), PARTITION p12 VALUES LESS THAN (${JANUARY}))`,
    ],
    fill: (from: string) =>
      `INSERT INTO orders SELECT ${from} + seq * ${STEP}, seq % 1000, 12.5 FROM seq_0_to_${ROWS - 1}`,
    drop: ['ALTER TABLE orders DROP PARTITION p12'],
  },
} as const;

async function secondsOf(session: QueryRunner, statements: readonly string[]): Promise<number> {
  const start = performance.now();
  for (const statement of statements) await session.query(statement);
  return (performance.now() - start) / 1000;
}

async function measure(type: keyof typeof DATABASES): Promise<string> {
  const { label, start, create, fill, drop } = DATABASES[type];
  const server = await start();
  const source = new DataSource({ type, url: await server.createDatabase('partitions'), poolSize: 1 });
  try {
    await source.initialize();
    const session = source.createQueryRunner();
    for (const statement of [...create, fill(NOVEMBER), fill(DECEMBER)]) await session.query(statement);
    const deleted = await secondsOf(session, [
      `DELETE FROM orders WHERE id >= ${NOVEMBER} AND id < ${DECEMBER}`,
    ]);
    const dropped = await secondsOf(session, drop);
    await session.release();
    return `${label}: DELETE ${deleted.toFixed(2)} s, drop ${dropped.toFixed(3)} s`;
  } finally {
    if (source.isInitialized) await source.destroy();
    await server.stop();
  }
}

for (const type of ['postgres', 'mariadb'] as const) {
  const line = await measure(type);
  if (!values.quick) process.stdout.write(`${line} (load average ${loadavg()[0]?.toFixed(1)})\n`);
}
