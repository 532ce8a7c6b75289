import { InvalidOptionError, TimestampExhaustedError } from 'nestjs-snowflake';
import { BitLayout, type BitLayoutOptions, MAX_ID } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { duplicatesIn, firstDescent } from './support/judge.js';
import { MakerPool } from './support/maker-pool.js';

const PATIENCE_MS = 60_000;
/** Outlasts a start on a busy machine: a layout that has ended is refused. */
const LEFT_MS = 10_000;
/** The shortest timestamp that there is: 70 minutes. All 63 bits are used, so that nothing hides a carry. */
const LAYOUT: BitLayoutOptions = { timestampBits: 22, datacenterBits: 9, workerBits: 20, sequenceBits: 12 };

let server: RedisServer;
const pool = new MakerPool();

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await pool.stopAll();
  await server.stop();
});

describe('a layout that ends while a lease goes on', () => {
  it('makes IDs to its last timestamp and then none: they neither wrap around nor reach the sign bit', async () => {
    const epoch = Date.now() + LEFT_MS - 2 ** 22;
    const layout = new BitLayout(LAYOUT, epoch);
    const options = {
      store: redisLeaseStore({ url: server.url, namespace: 'ends' }),
      layout: LAYOUT,
      epoch,
      datacenterId: layout.maxDatacenterId,
      lease: { possibleLoss: 'ignore' as const, firstWorkerId: layout.maxWorkerId },
    };
    const maker = await pool.start(options);
    expect(maker.status().leaseUntil!.getTime()).toBeGreaterThan(layout.expiresAt.getTime());

    const ids: bigint[] = [];
    const error = await waitFor('the end of the layout', PATIENCE_MS, () => {
      try {
        for (let made = 0; made < 100; made++) ids.push(maker.nextBigInt());
        return undefined;
      } catch (thrown) {
        return thrown;
      }
    });
    expect(error).toBeInstanceOf(TimestampExhaustedError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_TIMESTAMP_EXHAUSTED', retryable: false });
    expect(maker.decode(ids.at(-1)!).timestamp).toEqual(layout.expiresAt);
    expect(ids.at(-1)!).toBeLessThanOrEqual(MAX_ID);
    expect(firstDescent(ids)).toBe(-1);
    expect(duplicatesIn([ids])).toEqual([]);
    expect(() => maker.nextId()).toThrow(TimestampExhaustedError);

    const again = { ...options, store: redisLeaseStore({ url: server.url, namespace: 'ends' }) };
    await waitFor('the clock to pass the end', PATIENCE_MS, () => Date.now() > layout.expiresAt.getTime());
    expect(() => pool.make(again)).toThrow(InvalidOptionError);
    expect(() => pool.make(again)).toThrow(`ended at ${layout.expiresAt.toISOString()}`);
  }, 180_000);
});
