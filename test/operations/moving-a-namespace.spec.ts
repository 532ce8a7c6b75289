import { Redis } from 'ioredis';
import type { LeaseOptions, SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { WindowLedger } from '../../libs/snowflake/src/stores/port/window-ledger.js';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool } from '../lease/support/maker-pool.js';
import { recordedStore } from '../lease/support/recorded-store.js';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { Traffic } from '../lease/support/traffic.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';

/** Few sequence numbers, so that two processes on the same timestamps cannot miss each other. */
const layout = { workerBits: 10, sequenceBits: 3 };

const pool = new MakerPool();
let oldServer: RedisServer;
let newServer: RedisServer;
let operator: Redis;
let traffic: Traffic;
let ledger: WindowLedger;

beforeEach(async () => {
  [oldServer, newServer] = [await startRedis(), await startRedis()];
  operator = new Redis(oldServer.url);
  traffic = new Traffic();
  ledger = new WindowLedger();
});
afterEach(async () => {
  await traffic.end();
  await pool.stopAll();
  operator.disconnect();
  await Promise.all([oldServer.stop(), newServer.stop()]);
});

/** A process that leases at one of the two servers. The ledger has the windows of both. */
function makerAt(server: RedisServer, lease: LeaseOptions = {}): SnowflakeIdMaker {
  const store = recordedStore(redisLeaseStore({ url: server.url, namespace: 'shop' }), ledger);
  return pool.make({ store, layout, lease: { ...SHORT_WINDOW, possibleLoss: 'wait', ...lease } });
}

const trusting = { possibleLoss: 'ignore' } as const;

/** The command of the page for operators that makes the old server refuse. */
async function refuseAtOldServer(): Promise<number> {
  await operator.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha');
  return Date.now();
}

describe('a namespace that is moved to another server', () => {
  it('makes no duplicate if the old server refuses before the new one grants', async () => {
    const holders = [
      await traffic.join(makerAt(oldServer, trusting)),
      await traffic.join(makerAt(oldServer)),
    ];
    const refusedAtMs = await refuseAtOldServer();
    const first = await traffic.join(makerAt(newServer));
    const [acquired] = first.eventsOf('acquired');
    expect(first.eventsOf('waiting')).toMatchObject([{ reason: 'empty' }]);
    expect(acquired!.fromMs).toBeGreaterThanOrEqual(
      refusedAtMs + SHORT_WINDOW.windowMs + SHORT_WINDOW.maxSkewMs,
    );
    // They run until their windows end, and then stop; pointed to the new server, they generate IDs again.
    for (const holder of holders) {
      await holder.until('its window to end', ({ error }) => error?.code === 'SNOWFLAKE_LEASE_EXHAUSTED');
      // A renewal may also fail because a busy machine does not answer in time; the next one is refused again.
      await holder.until(
        'the refusal',
        ({ maker }) => maker.status().lastError?.code === 'SNOWFLAKE_STORE_REJECTED',
      );
    }
    const restarted = await traffic.join(makerAt(newServer));
    await restarted.until('to issue', ({ ids }) => ids.length > 500);
    await first.until('to issue', ({ ids }) => ids.length > 500);
    // The worker ID that one of them had: only the wait keeps their timestamps apart.
    expect(acquired!.workerId).toBe(0);
    expect(ledger.overlaps()).toEqual([]);
    expect(duplicatesIn(traffic.ids)).toEqual([]);
  });

  it('makes duplicates if the old server continues to grant (control)', async () => {
    // With one worker ID, a holder whose window has ended on a busy machine gets the same one again.
    const holder = await traffic.join(makerAt(oldServer, { ...trusting, workerCount: 1 }));
    const first = await traffic.join(makerAt(newServer, { workerCount: 1 }));
    const firstWorkerIds = [holder, first].map((one) => one.eventsOf('acquired')[0]!.workerId);
    expect(firstWorkerIds).toEqual([0, 0]);
    expect(ledger.overlaps().length).toBeGreaterThan(0);
    await expect(traffic.untilDuplicate()).resolves.toBe(true);
  });
});
