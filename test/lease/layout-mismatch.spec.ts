import { LayoutMismatchError, type SnowflakeOptions } from 'nestjs-snowflake';
import { BitLayout } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { Inspector } from './support/inspector.js';
import { MakerPool } from './support/maker-pool.js';

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
  ])('refuses an app with %s at its start, and names both layouts', async (_difference, own) => {
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
    expect(message).toContain(ownLayout);
    expect(message).toContain(storedLayout);
    expect(message).toContain(NAMESPACE);
    expect((await inspector.snapshot()).rows).toEqual(before.rows);
  });

  it('refuses another range of worker IDs', async () => {
    const lease = { possibleLoss: 'ignore' as const, firstWorkerId: 512 };
    await expect(pool.start(options({ lease }))).rejects.toThrow(LayoutMismatchError);
  });

  it('takes an app with the same layout, written otherwise', async () => {
    const same = { layout: { timestampBits: 41, ...FIRST.layout }, epoch: new Date(FIRST.epoch) };
    const second = await pool.start(options(same));
    expect(second.status()).toMatchObject({ state: 'active', workerId: 1 });
  });
});
