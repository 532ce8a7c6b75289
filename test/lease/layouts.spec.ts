import {
  InvalidOptionError,
  LayoutMismatchError,
  type SnowflakeOptions,
  staticLeaseStore,
  TimestampExhaustedError,
} from 'nestjs-snowflake/standalone';
import { BitLayout, type BitLayoutOptions, MAX_ID } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { Inspector } from './support/inspector.js';
import { duplicatesIn, firstDescent } from './support/id-checks.js';
import { MakerPool } from './support/maker-pool.js';
import { SteppedClock } from './support/stepped-clock.js';

const NAMESPACE = 'shared';

let server: RedisServer;
let inspector: Inspector;
const pool = new MakerPool();

beforeAll(async () => {
  server = await startRedis();
  inspector = new Inspector(server.url, NAMESPACE);
});
afterAll(async () => {
  await pool.stopAll();
  await inspector.close();
  await server.stop();
});

const FIRST = { layout: { workerBits: 10, sequenceBits: 12 }, epoch: '2024-01-01T00:00:00Z' };

function options(changes: Partial<SnowflakeOptions> = {}): SnowflakeOptions {
  const store = redisLeaseStore({ url: server.url, namespace: NAMESPACE });
  return { ...FIRST, store, lease: { possibleLoss: 'ignore' }, ...changes };
}

const fingerprint = ({ layout, epoch }: typeof FIRST): string => new BitLayout(layout, epoch).fingerprint;

describe('a namespace in use', () => {
  // Held for so long that nothing is renewed while the registry is compared.
  beforeAll(() => pool.start(options({ lease: { possibleLoss: 'ignore', windowMs: 3_600_000 } })));

  it.each([
    ['another layout', { ...FIRST, layout: { workerBits: 8, sequenceBits: 14 } }],
    ['another epoch', { ...FIRST, epoch: '2025-01-01T00:00:00Z' }],
    ['another tick', { ...FIRST, layout: { ...FIRST.layout, tickMs: 10 } }],
  ])('refuses an app with %s at its start', async (_difference, own) => {
    const before = await inspector.snapshot();
    // Longer than the test may take: the refusal is for good, and does not wait.
    const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs: 3_600_000 };
    const error = await pool.start(options({ ...own, lease })).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(LayoutMismatchError);
    const { code, message, ownLayout, storedLayout } = error as LayoutMismatchError;
    expect(code).toBe('SNOWFLAKE_LAYOUT_MISMATCH');
    expect(ownLayout).toContain(fingerprint(own));
    expect(storedLayout).toContain(fingerprint(FIRST));
    expect(message).toContain(NAMESPACE);
    expect((await inspector.snapshot()).rows).toEqual(before.rows);
  });

  it('refuses an app with another range of worker IDs', async () => {
    const lease = { possibleLoss: 'ignore' as const, firstWorkerId: 512 };
    await expect(pool.start(options({ lease }))).rejects.toThrow(LayoutMismatchError);
  });

  it('accepts an app that writes the same layout in other options', async () => {
    const same = { layout: { timestampBits: 41, ...FIRST.layout }, epoch: new Date(FIRST.epoch) };
    const second = await pool.start(options(same));
    expect(second.status()).toMatchObject({ state: 'active', workerId: 1 });
  });
});

/** The shortest timestamp that there is: 70 minutes. All 63 bits are used, so that nothing hides a carry. */
const ENDING: BitLayoutOptions = { timestampBits: 22, datacenterBits: 9, workerBits: 20, sequenceBits: 12 };
/** Longer than a start takes on a busy machine, shorter than the window: a layout that has ended is refused. */
const LEFT_MS = 40_000;

describe('a layout that ends while a lease goes on', () => {
  it('generates IDs up to the last timestamp and then none: they neither wrap around nor reach the sign bit', async () => {
    const epoch = Date.now() + LEFT_MS - 2 ** 22;
    const layout = new BitLayout(ENDING, epoch);
    const withStore = (): SnowflakeOptions => ({
      store: redisLeaseStore({ url: server.url, namespace: 'ends' }),
      layout: ENDING,
      epoch,
      datacenterId: layout.maxDatacenterId,
      lease: { possibleLoss: 'ignore', firstWorkerId: layout.maxWorkerId, windowMs: 600_000 },
    });
    const clock = new SteppedClock();
    const maker = await pool.start(withStore(), { clock });
    expect(maker.status().leaseUntil!.getTime()).toBeGreaterThan(layout.expiresAt.getTime());

    const ids = [...maker.nextBigInts(100)];
    clock.stand();
    clock.step(layout.expiresAt.getTime() - clock.now());
    const useUp = (): never => {
      for (;;) ids.push(maker.nextBigInt());
    };
    expect(useUp).toThrow(TimestampExhaustedError);
    expect(useUp).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_TIMESTAMP_EXHAUSTED', retryable: false }),
    );
    expect(maker.decode(ids.at(-1)!).timestamp).toEqual(layout.expiresAt);
    expect(ids.at(-1)!).toBeLessThanOrEqual(MAX_ID);
    expect(firstDescent(ids)).toBe(-1);
    expect(duplicatesIn([ids])).toEqual([]);

    clock.step(1);
    // The clock of this host decides only where no store has one.
    const store = staticLeaseStore({ workerId: 0 });
    const late = (): unknown => pool.make({ ...withStore(), lease: {}, store }, { clock });
    expect(late).toThrow(InvalidOptionError);
    expect(late).toThrow(`ended at ${layout.expiresAt.toISOString()}`);
  });
});
