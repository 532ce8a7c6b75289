import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import type { SequenceStartPolicy } from 'nestjs-snowflake/core';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { codeIn } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const COUNT = 20_000;

const code = new PageCode('docs/guides/several-instances.md', 'Sharding');

/** IDs of one process, each in its own tick, a few ms apart. */
async function sparseIds(sequenceStart: SequenceStartPolicy): Promise<bigint[]> {
  const clock = new VirtualClock('2026-11-01T00:00:00Z');
  const store = staticLeaseStore({ workerId: 5, clock });
  const ids = new SnowflakeIdMaker({ store, sequenceStart }, { clock });
  await ids.start();
  return Array.from({ length: COUNT }, () => {
    clock.step(1 + Math.floor(Math.random() * 5));
    return ids.nextBigInt();
  });
}

describe('shards by id mod N', () => {
  const [table] = code.page.tablesUnder('Shards by `id mod N`');
  const columns = (table?.columns ?? []).slice(1).map((column) => Number(/\d+/.exec(column)?.[0]));
  const rows = (table?.rows ?? []).flatMap(([policies = '', ...used]) =>
    codeIn(policies).map((policy) => [policy.slice(1, -1), used.map(Number)] as const),
  );

  it.each(rows)('the table has how many shards get rows with %s', async (policy, used) => {
    const ids = await sparseIds(policy as SequenceStartPolicy);
    const counted = columns.map((shards) => new Set(ids.map((id) => id % BigInt(shards))).size);
    expect(counted).toEqual(used);
  });

  it('the table has all policies', () => {
    expect(rows.map(([policy]) => policy)).toEqual(['zero', 'random', 'rolling']);
  });
});

it('shardOf() computes the shard from the bigint', async () => {
  const shardOf = await code.run<(id: string) => number>('shard-of.ts', 'shardOf');
  expect(shardOf('382475217496248322')).toBe(2);
  expect(shardOf('382475217496248323')).toBe(3);
  // Control: as numbers, the two are one.
  expect(Number('382475217496248322')).toBe(Number('382475217496248323'));
});

testThatAllHaveRun(code);
