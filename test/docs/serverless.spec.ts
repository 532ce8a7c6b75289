import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import type { SnowflakeIdMaker, SnowflakeOptions } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { type LeaseStore, memoryLeaseStore } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { BitLayout } from '../../libs/snowflake/src/core/layout/bit-layout.js';
import { keeperSettings, type LeaseTiming } from '../../libs/snowflake/src/lease/lease-options.js';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../lease/support/maker-pool.js';
import { databaseFor } from '../support/servers/index.js';
import { PageCode } from './page-code.js';

const { windowMs, reserveMs, renewEveryMs } = keeperSettings(new BitLayout(), {});
const TEN_MINUTES_MS = 600_000;

const code = new PageCode('docs/guides/deploy.md', 'Serverless');
const pool = new MakerPool();
let freshLease: (ids: SnowflakeIdMaker, timeoutMs?: number) => Promise<void>;
let clock: VirtualClock;
let registry: MemoryRegistry;

beforeAll(async () => {
  freshLease = await code.run('fresh-lease.ts', 'freshLease');
});
beforeEach(() => {
  clock = new VirtualClock('2026-11-01T00:00:00Z');
  registry = new MemoryRegistry();
});
afterEach(() => pool.stopAll());
/** A process of the namespace. `freeze()` of the clock pauses it: time passes and no timer runs. */
function start(store: LeaseStore = memoryLeaseStore({ registry, clock })): Promise<SnowflakeIdMaker> {
  const options: SnowflakeOptions = { store, lease: { possibleLoss: 'ignore' } };
  return pool.start(options, { clock });
}

const lagOf = (ids: SnowflakeIdMaker): number => clock.now() - ids.decode(ids.nextId()).timestampMs;

describe('a process that was frozen', () => {
  it('makes IDs with the current time when its last renewal was 50 s ago or less', async () => {
    const ids = await start();
    const workerId = workerIdOf(ids);
    clock.freeze(windowMs - reserveMs);
    expect(lagOf(ids)).toBe(0);
    expect(workerIdOf(ids)).toBe(workerId);
  });

  it('makes IDs with a timestamp within its window first, when it was longer', async () => {
    const ids = await start();
    clock.freeze(TEN_MINUTES_MS);
    expect(lagOf(ids)).toBeGreaterThanOrEqual(TEN_MINUTES_MS - windowMs);
    expect(ids.status().state).toBe('degraded');
  });

  it('makes IDs with the current time once its timer has renewed', async () => {
    const ids = await start();
    clock.freeze(TEN_MINUTES_MS);
    await clock.advance(renewEveryMs);
    expect(lagOf(ids)).toBe(0);
  });

  it('repeats no ID of the process that got its worker ID meanwhile', async () => {
    const only = { workerCount: 1, possibleLoss: 'ignore' } as const;
    const options = (): SnowflakeOptions => ({ store: memoryLeaseStore({ registry, clock }), lease: only });
    const frozen = await pool.start(options(), { clock });
    const before = frozen.nextBigInts(5_000);
    clock.freeze(TEN_MINUTES_MS);
    const successor = await pool.start(options(), { clock });
    expect(workerIdOf(successor)).toBe(workerIdOf(frozen));
    const made = [before, frozen.nextBigInts(5_000), successor.nextBigInts(5_000)];
    expect(duplicatesIn(made)).toEqual([]);
  });
});

describe('freshLease', () => {
  it('brings the current time back before an invocation makes IDs', async () => {
    const ids = await start();
    const before = ids.nextBigInts(5_000);
    clock.freeze(TEN_MINUTES_MS);
    await freshLease(ids);
    expect(lagOf(ids)).toBe(0);
    expect(ids.status().state).toBe('active');
    expect(duplicatesIn([before, ids.nextBigInts(5_000)])).toEqual([]);
  });

  it('brings the current time back although the first call to the store fails', async () => {
    const store = memoryLeaseStore({ registry, clock });
    const ids = await start(store);
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
    const store = memoryLeaseStore({ registry, clock });
    const ids = await start(store);
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
    const store = memoryLeaseStore({ registry, clock });
    const ids = await start(store);
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

  it('leaves renewals between invocations to the timers of the library', async () => {
    const ids = await start();
    await clock.advance(TEN_MINUTES_MS);
    expect(lagOf(ids)).toBe(0);
    await freshLease(ids);
    expect(ids.status()).toMatchObject({ state: 'active', workerId: 0 });
  });
});

describe('an environment that ends without a signal', () => {
  it('keeps its worker ID until its window ends, and no longer', async () => {
    const only = { workerCount: 1, possibleLoss: 'ignore' } as const;
    const options = (): SnowflakeOptions => ({ store: memoryLeaseStore({ registry, clock }), lease: only });
    // Its own clock stops with it, so it never renews.
    await pool.start(options(), { clock: new VirtualClock('2026-11-01T00:00:00Z') });
    clock.freeze(windowMs / 2);
    const next = pool.make(options(), { clock });
    const started = next.start();
    await clock.advance(windowMs / 4);
    expect(next.status().state).toBe('acquiring');
    await clock.advance(windowMs / 2);
    await started;
    expect(workerIdOf(next)).toBe(0);
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
  const store = sqlLeaseStore({ dataSource, namespace: 'shop', createTable: true });
  const layout = { workerBits: 14, sequenceBits: 8 };
  const other = await pool.start({ store, layout, lease: { possibleLoss: 'ignore' } });
  const handler = await code.run<() => Promise<{ id: string }>>('lambda.ts', 'handler');
  const made = await Promise.all([handler(), handler()]);
  await (await code.run<INestApplicationContext>('lambda.ts', 'app')).close();
  expect(new Set(made.map(({ id }) => id)).size).toBe(2);
  expect(other.decode(made[0]!.id).workerId).toBe(1);
  expect(other.layout.maxWorkerId + 1).toBe(16_384);
  expect(other.layout.idsPerTick).toBe(256);
  const module = await code.run<new () => object>('ids.module.ts', 'IdsModule');
  expect(module).toBeInstanceOf(Function);
  expect(code.notRun()).toEqual([]);
});
