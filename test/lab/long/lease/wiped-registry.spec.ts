import type { LeaseOptions, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { WindowLedger } from '../../../../libs/snowflake/src/stores/port/window-ledger.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { Inspector } from '../../../lease/support/inspector.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../../../lease/support/maker-pool.js';
import { recordedStore } from '../../../lease/support/recorded-store.js';
import { Traffic } from '../../../lease/support/traffic.js';

const ROUNDS = 3;
/** Holders must renew before maxSkew is left of their windows: a machine may keep them from it for five seconds. */
const LEASE = {
  windowMs: 8000,
  renewEveryMs: 250,
  callTimeoutMs: 1000,
  maxSkewMs: 2500,
  reserveMs: 450,
  acquireTimeoutMs: 60_000,
} as const;
const layout = { workerBits: 10 };

const pool = new MakerPool();
let server: RedisServer;
let inspector: Inspector;
let traffic: Traffic;
let ledger: WindowLedger;

async function setScene(namespace: string): Promise<(lease: LeaseOptions) => SnowflakeIdMaker> {
  server = await startRedis();
  inspector = new Inspector(server.url, namespace);
  traffic = new Traffic();
  ledger = new WindowLedger();
  return (lease) => {
    const store = recordedStore(redisLeaseStore({ url: server.url, namespace }), ledger);
    return pool.make({ store, layout, lease });
  };
}

afterEach(async () => {
  await traffic.end();
  await pool.stopAll();
  await inspector.close();
  await server.stop();
});

describe(`FLUSHALL while holders live and a newcomer starts, ${ROUNDS} times [promise: unique]`, () => {
  it('makes newcomers wait for all forgotten windows, costs holders nothing, and makes no duplicate', async () => {
    const newMaker = await setScene('wiped');
    for (let count = 0; count < 4; count++) {
      await traffic.join(newMaker({ ...LEASE, possibleLoss: 'ignore' }));
    }
    for (let round = 1; round <= ROUNDS; round++) {
      const held = traffic.holders.map(({ maker }) => workerIdOf(maker));
      const { storeNowMs } = await inspector.snapshot();
      await inspector.wipe();
      const newcomer = await traffic.join(newMaker({ ...LEASE, possibleLoss: 'wait' }));

      const [acquired] = newcomer.eventsOf('acquired');
      // Every lease that the wiped registry could have known of has ended by then.
      expect(acquired!.fromMs).toBeGreaterThanOrEqual(storeNowMs + LEASE.windowMs + LEASE.maxSkewMs);
      expect(newcomer.eventsOf('waiting')).toMatchObject([{ reason: 'empty' }]);
      expect(held).not.toContain(workerIdOf(newcomer.maker));
      expect(traffic.holders.slice(0, -1).map(({ maker }) => workerIdOf(maker))).toEqual(held);
    }
    const { rows } = await inspector.snapshot();
    expect(rows.map(({ workerId }) => workerId)).toEqual(
      traffic.holders.map(({ maker }) => workerIdOf(maker)).sort((a, b) => a - b),
    );
    expect(traffic.holders.flatMap((holder) => holder.eventsOf('lost'))).toEqual([]);
    expect(ledger.overlaps()).toEqual([]);
    expect(duplicatesIn(traffic.ids)).toEqual([]);
  });
});

describe('FLUSHALL and a newcomer that ignores the loss [promise: unique]', () => {
  it('makes overlapping windows and duplicates if the newcomer ignores the loss (control)', async () => {
    const newMaker = await setScene('trusted-too-much');
    // The holder renews so seldom that the newcomer comes first.
    const seldom = { windowMs: 600_000, possibleLoss: 'ignore' } as const;
    const holder = await traffic.join(newMaker(seldom));
    await inspector.wipe();
    const newcomer = await traffic.join(newMaker(seldom));
    await newcomer.until('to have issued', ({ ids }) => ids.length > 500);
    expect(workerIdOf(newcomer.maker)).toBe(workerIdOf(holder.maker));
    expect(ledger.overlaps()).toHaveLength(1);
    await expect(traffic.untilDuplicate()).resolves.toBe(true);
  });
});
