import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { BitLayout, IdDecoder, IdGenerator, type SequenceStartPolicy } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { DataSource } from 'typeorm';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { codeIn } from './markdown.js';
import { PageCode } from './page-code.js';

const COUNT = 20_000;
const START = Date.parse('2026-11-01T00:00:00Z');

const code = new PageCode('docs/guides/sharding.md');
const blocksRun = new Set<string>();
afterAll(() => code.remove());

/** IDs of one process, each in its own tick, a few ms apart. */
function sparseIds(sequenceStart: SequenceStartPolicy): bigint[] {
  const clock = new VirtualClock(START);
  let state = 2_463_534_242;
  // A reproducible random source: xorshift32 (Marsaglia, 2003).
  const random = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const generator = new IdGenerator(new BitLayout(), clock, { sequenceStart }, random);
  const untilMs = START + 86_400_000;
  generator.adopt({ workerId: 5, fromMs: START - 1, untilMs, clockTimeUntilMs: untilMs });
  return Array.from({ length: COUNT }, () => {
    clock.step(1 + Math.floor(random() * 5));
    return generator.nextBigInt();
  });
}

function rowsPerShard(ids: readonly bigint[], shards: number): number[] {
  const counts = new Array<number>(shards).fill(0);
  for (const id of ids) counts[Number(id % BigInt(shards))]! += 1;
  return counts;
}

describe('shards by id mod N', () => {
  const [table] = code.page.tablesUnder('Shards by `id mod N`');
  const columns = (table?.columns ?? []).slice(1).map((column) => Number(/\d+/.exec(column)?.[0]));
  const rows = (table?.rows ?? []).flatMap(([policies = '', ...used]) =>
    codeIn(policies).map((policy) => [policy.slice(1, -1), used.map(Number)] as const),
  );

  it.each(rows)('the table has how many shards get rows with %s', (policy, used) => {
    const ids = sparseIds(policy as SequenceStartPolicy);
    const counted = columns.map((shards) => rowsPerShard(ids, shards).filter((count) => count > 0).length);
    expect(counted).toEqual(used);
  });

  it('the table has all policies', () => {
    expect(rows.map(([policy]) => policy)).toEqual(['zero', 'random', 'rolling']);
  });

  it('all rows are in one shard with zero, and spread evenly with random', () => {
    const fullest = (policy: SequenceStartPolicy): number => Math.max(...rowsPerShard(sparseIds(policy), 16));
    expect(fullest('zero')).toBe(COUNT);
    expect(fullest('random')).toBeLessThan((1.2 * COUNT) / 16);
  });

  it('shardOf() computes the shard from the bigint', async () => {
    const shardOf = await code.run<(id: string) => number>('shard-of.ts', 'shardOf');
    expect(shardOf('382475217496248322')).toBe(2);
    expect(shardOf('382475217496248323')).toBe(3);
    // Control: as numbers, the two are one.
    expect(Number('382475217496248322')).toBe(Number('382475217496248323'));
  });

  it('the module of the page spreads IDs over all shards', async () => {
    const redis: RedisServer = await startRedis();
    const pool = new MakerPool();
    process.env.REDIS_URL = redis.url;
    // Another process has used the namespace before, so the boot doesn't wait for a lost registry.
    const store = redisLeaseStore({ url: redis.url, namespace: 'shop' });
    await pool.start({ store, lease: { possibleLoss: 'ignore' } });
    const module = await code.run<Type>('ids.module.ts', 'IdsModule');
    const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    try {
      const ids = app.get(SnowflakeIdMaker);
      const shards = new Set<bigint>();
      for (let made = 0; made < 500; made++) {
        shards.add(ids.nextBigInt() % 16n);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(shards.size).toBe(16);
    } finally {
      await app.close();
      await pool.stopAll();
      await redis.stop();
    }
  });
});

async function runBlock(dataSource: DataSource, title: string): Promise<void> {
  const block = code.page.blocksIn('sql').find(({ text }) => text.startsWith(`-- ${title}\n`));
  blocksRun.add(title);
  const statements = block!.text.replace(/^--.*$/gm, '').split(/;\s*$/m);
  for (const statement of statements) if (statement.trim() !== '') await dataSource.query(statement);
}

const open = async (type: 'postgres' | 'mariadb'): Promise<DataSource> =>
  new DataSource({ type, url: await databaseFor(type, 'sharding') }).initialize();

describe('partitions by a hash', () => {
  it('hash partitions get equally many rows with any sequenceStart', async () => {
    const dataSource = await open('postgres');
    try {
      await runBlock(dataSource, 'postgres: hash partitions');
      const ids = sparseIds('zero').slice(0, 8_000);
      expect(rowsPerShard(ids, 4).filter((count) => count > 0)).toHaveLength(1);
      await dataSource.query(`INSERT INTO events SELECT unnest($1::bigint[]), 'x'`, [ids.map(String)]);
      const counts = await dataSource.query<{ count: string }[]>(
        'SELECT count(*) FROM events GROUP BY tableoid',
      );
      expect(counts).toHaveLength(4);
      for (const { count } of counts) expect(Math.abs(Number(count) - 2_000)).toBeLessThan(200);
    } finally {
      await dataSource.destroy();
    }
  });
});

describe('partitions by time', () => {
  const decoder = new IdDecoder(new BitLayout());
  const [november, december] = ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z'].map((instant) => ({
    first: decoder.firstIdAt(instant),
    last: decoder.lastIdAt(instant),
  }));

  it('the SQL has the bounds that the code prints', async () => {
    type BoundsOf = (year: number, month: number) => { first: string; before: string };
    const boundsOf = await code.run<BoundsOf>('partition-bounds.ts', 'boundsOf');
    const [eleventh, twelfth] = [boundsOf(2026, 11), boundsOf(2026, 12)];
    const bounds = [eleventh.first, eleventh.before, twelfth.first, twelfth.before];
    expect(bounds[1]).toBe(bounds[2]);
    const [, , postgres, mariadb] = [undefined, ...code.page.blocksIn('sql')].map(
      (block) => block?.text ?? '',
    );
    expect(postgres!.match(/\d{18}/g)).toEqual(bounds);
    expect(mariadb!.match(/\d{18}/g)).toEqual([eleventh.before, twelfth.before]);
  });

  it('partitions hold the rows of their month on PostgreSQL, and are read alone', async () => {
    const dataSource = await open('postgres');
    try {
      await runBlock(dataSource, 'postgres: range partitions');
      for (const id of [november!.last, december!.first])
        await dataSource.query('INSERT INTO orders VALUES ($1, 1)', [id]);
      await expect(dataSource.query('SELECT id FROM orders_2026_11')).resolves.toEqual([
        { id: november!.last },
      ]);
      await expect(dataSource.query('SELECT id FROM orders_2026_12')).resolves.toEqual([
        { id: december!.first },
      ]);
      const { first, before } = decoder.idRange('2026-12-01', '2026-12-02');
      const plan = await dataSource.query<object[]>(
        `EXPLAIN SELECT * FROM orders WHERE id >= ${first} AND id < ${before}`,
      );
      expect(JSON.stringify(plan)).toContain('orders_2026_12');
      expect(JSON.stringify(plan)).not.toContain('orders_2026_11');
      const beyond = decoder.firstIdAt('2027-01-01');
      await expect(dataSource.query('INSERT INTO orders VALUES ($1, 1)', [beyond])).rejects.toThrow(
        /no partition/,
      );
      await dataSource.query('CREATE TABLE customers (id bigint PRIMARY KEY)');
      await dataSource.query('ALTER TABLE orders ADD customer_id bigint REFERENCES customers (id)');
    } finally {
      await dataSource.destroy();
    }
  });

  it('partitions hold the rows of their month on MariaDB, without foreign keys', async () => {
    const dataSource = await open('mariadb');
    try {
      await runBlock(dataSource, 'mariadb: range partitions');
      for (const id of [november!.last, december!.first])
        await dataSource.query('INSERT INTO orders VALUES (?, 1)', [id]);
      await expect(dataSource.query('SELECT id FROM orders PARTITION (p2026_11)')).resolves.toEqual([
        { id: november!.last },
      ]);
      const { first, before } = decoder.idRange('2026-12-01', '2026-12-02');
      const [plan] = await dataSource.query<{ partitions: string }[]>(
        `EXPLAIN PARTITIONS SELECT * FROM orders WHERE id >= ${first} AND id < ${before}`,
      );
      expect(plan!.partitions).toBe('p2026_12');
      const beyond = decoder.firstIdAt('2027-01-01');
      await expect(dataSource.query('INSERT INTO orders VALUES (?, 1)', [beyond])).rejects.toThrow(
        /no partition/i,
      );
      await dataSource.query('CREATE TABLE customers (id bigint PRIMARY KEY)');
      await dataSource.query('ALTER TABLE orders ADD customer_id bigint');
      await expect(
        dataSource.query('ALTER TABLE orders ADD FOREIGN KEY (customer_id) REFERENCES customers (id)'),
      ).rejects.toThrow(/partition/i);
    } finally {
      await dataSource.destroy();
    }
  });
});

it('the spec has run every file of the page', () => {
  expect(code.notRun()).toEqual([]);
  const titles = code.page.blocksIn('sql').map(({ text }) => /^-- (.*)\n/.exec(text)?.[1]);
  expect([...blocksRun].sort()).toEqual(titles.sort());
});
