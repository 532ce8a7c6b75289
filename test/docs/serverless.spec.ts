import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { type LeaseStore, memoryLeaseStore } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { BitLayout } from '../../libs/snowflake/src/core/layout/bit-layout.js';
import { keeperSettings, type LeaseTiming } from '../../libs/snowflake/src/lease/lease-options.js';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { databaseFor } from '../support/servers/index.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const { windowMs } = keeperSettings(new BitLayout(), {});
const TEN_MINUTES_MS = 600_000;

const code = new PageCode('docs/guides/deploy.md', 'Serverless');
const pool = new MakerPool();
let freshLease: (ids: SnowflakeIdMaker, timeoutMs?: number) => Promise<void>;
let clock: VirtualClock;
let store: LeaseStore;

beforeAll(async () => {
  freshLease = await code.run('fresh-lease.ts', 'freshLease');
});
beforeEach(() => {
  clock = new VirtualClock('2026-11-01T00:00:00Z');
  store = memoryLeaseStore({ registry: new MemoryRegistry(), clock });
});
afterEach(() => pool.stopAll());

/** A process of the namespace. `freeze()` of the clock pauses it: time passes and no timer runs. */
function start(): Promise<SnowflakeIdMaker> {
  return pool.start({ store, lease: { possibleLoss: 'ignore' } }, { clock });
}

const lagOf = (ids: SnowflakeIdMaker): number => clock.now() - ids.decode(ids.nextId()).timestampMs;

describe('freshLease', () => {
  it('brings the current time back before an invocation makes IDs', async () => {
    const ids = await start();
    const before = ids.nextBigInts(5_000);
    clock.freeze(TEN_MINUTES_MS);
    // Control: until then, IDs have timestamps of the old window.
    expect(lagOf(ids)).toBeGreaterThanOrEqual(TEN_MINUTES_MS - windowMs);
    await freshLease(ids);
    expect(lagOf(ids)).toBe(0);
    expect(ids.status().state).toBe('active');
    expect(duplicatesIn([before, ids.nextBigInts(5_000)])).toEqual([]);
  });

  it('brings the current time back although the first call to the store fails', async () => {
    const ids = await start();
    clock.freeze(TEN_MINUTES_MS);
    const { lease: ask } = store;
    store.lease = async () => {
      store.lease = ask;
      throw new Error('the connection is gone');
    };
    const fresh = freshLease(ids);
    await clock.advance(1_000);
    await fresh;
    expect(lagOf(ids)).toBe(0);
  });

  it('asks nothing while the lease is fresh', async () => {
    const ids = await start();
    let calls = 0;
    const { lease: ask } = store;
    store.lease = (...args) => {
      calls += 1;
      return ask.apply(store, args);
    };
    await freshLease(ids);
    expect(calls).toBe(0);
    clock.freeze(TEN_MINUTES_MS);
    await freshLease(ids);
    expect(calls).toBeGreaterThan(0);
  });

  it('lets the invocation continue in the old window when the store does not answer', async () => {
    const ids = await start();
    clock.freeze(TEN_MINUTES_MS);
    let hangUp = (_error: Error): void => undefined;
    store.lease = () => new Promise((_, reject) => (hangUp = reject));
    await freshLease(ids, 20);
    expect(lagOf(ids)).toBeGreaterThanOrEqual(TEN_MINUTES_MS - windowMs);
    const makeAll = (): void => {
      for (;;) ids.nextBigInts(100_000);
    };
    expect(makeAll).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_LEASE_EXHAUSTED', retryable: true }));
    hangUp(new Error('the connection is gone'));
  });
});

/** How long IDs have the current time at least: the last renewal can be a whole interval before the freeze, + 10 %. */
const freshForMs = (timing: LeaseTiming): number =>
  timing.windowMs - timing.reserveMs - Math.ceil((timing.renewEveryMs * 11) / 10);

describe('the table of windows', () => {
  const [table] = code.page.tables;
  const seconds = (cell: string): number => Number(/[\d.]+/.exec(cell)?.[0]);

  it.each(table!.rows.map((row) => [Number(row[0]!.replace(/\D/g, '')), row] as const))(
    'the table has what follows from a window of %s ms',
    (ms, [, current = '', free = '', wait = '']) => {
      const timing = keeperSettings(new BitLayout(), { windowMs: ms });
      expect(seconds(current) * 1000).toBe(freshForMs(timing));
      expect(seconds(free) * 1000).toBe(timing.windowMs);
      expect(seconds(wait) * 1000).toBe(timing.windowMs + timing.maxSkewMs);
    },
  );
});

it('the handler of the page makes IDs', async () => {
  process.env.DATABASE_URL = await databaseFor('postgres', 'serverless');
  const dataSource = { type: 'postgres', url: process.env.DATABASE_URL } as const;
  // As the migration would. Another process has used the namespace, so the boot doesn't wait for a lost registry.
  const sql = sqlLeaseStore({ dataSource, namespace: 'shop', createTable: true });
  const layout = { workerBits: 14, sequenceBits: 8 };
  const other = await pool.start({ store: sql, layout, lease: { possibleLoss: 'ignore' } });
  const handler = await code.run<() => Promise<{ id: string }>>('lambda.ts', 'handler');
  await code.import('ids.module.ts');
  const made = await Promise.all([handler(), handler()]);
  await (await code.run<INestApplicationContext>('lambda.ts', 'app')).close();
  expect(new Set(made.map(({ id }) => id)).size).toBe(2);
  expect(other.decode(made[0]!.id).workerId).toBe(1);
  expect(other.layout).toMatchObject({ maxWorkerId: 16_383, idsPerTick: 256 });
});

testThatAllHaveRun(code);
