import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { BitLayout, IdGenerator, type SequenceStartPolicy } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { DataSource } from 'typeorm';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { codeIn } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const COUNT = 20_000;
const START = Date.parse('2026-11-01T00:00:00Z');

const code = new PageCode('docs/guides/several-instances.md', 'Sharding');
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

  it('the option of the module spreads IDs over all shards', async () => {
    const redis: RedisServer = await startRedis();
    const pool = new MakerPool();
    // Another process has used the namespace before, so the boot doesn't wait for a lost registry.
    const store = redisLeaseStore({ url: redis.url, namespace: 'shop' });
    await pool.start({ store, lease: { possibleLoss: 'ignore' } });
    @Module({
      imports: [
        SnowflakeModule.forRoot({
          store: redisLeaseStore({ url: redis.url, namespace: 'shop' }),
          sequenceStart: 'random',
        }),
      ],
    })
    class IdsModule {}
    const app = await NestFactory.createApplicationContext(IdsModule, { logger: false, abortOnError: false });
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

describe('partitions by a hash', () => {
  it('hash partitions get equally many rows with any sequenceStart', async () => {
    const dataSource = await new DataSource({
      type: 'postgres',
      url: await databaseFor('postgres', 'sharding'),
    }).initialize();
    try {
      await dataSource.query(
        'CREATE TABLE events (id bigint PRIMARY KEY, payload text NOT NULL) PARTITION BY HASH (id)',
      );
      for (const shard of [0, 1]) {
        await dataSource.query(
          `CREATE TABLE events_${shard} PARTITION OF events FOR VALUES WITH (MODULUS 2, REMAINDER ${shard})`,
        );
      }
      const ids = sparseIds('zero').slice(0, 8_000);
      expect(rowsPerShard(ids, 2).filter((count) => count > 0)).toHaveLength(1);
      await dataSource.query(`INSERT INTO events SELECT unnest($1::bigint[]), 'x'`, [ids.map(String)]);
      const counts = await dataSource.query<{ count: string }[]>(
        'SELECT count(*) FROM events GROUP BY tableoid',
      );
      expect(counts).toHaveLength(2);
      for (const { count } of counts) expect(Math.abs(Number(count) - 4_000)).toBeLessThan(400);
    } finally {
      await dataSource.destroy();
    }
  });
});

testThatAllHaveRun(code);
