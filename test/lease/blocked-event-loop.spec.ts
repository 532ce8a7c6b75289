import { SnowflakeError } from 'nestjs-snowflake/standalone';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { WindowLedger } from '../../libs/snowflake/src/stores/port/window-ledger.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { duplicatesIn, firstDescent } from './support/id-checks.js';
import { MakerPool, workerIdOf } from './support/maker-pool.js';
import { recordedStore } from './support/recorded-store.js';
import { SHORT_WINDOW } from './support/short-window.js';
import { Holder } from './support/traffic.js';

const NAMESPACE = 'blocked';
const IDS_AT_A_TIME = 40;
const BLOCK_MS = 2;
/** Blocks the event loop as a computation would, without its CPU time. */
const blockThread = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

let server: RedisServer;
const pool = new MakerPool();

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await pool.stopAll();
  await server.stop();
});

describe('a synchronous loop that blocks the event loop for longer than the window [promise: unique]', () => {
  it('costs the process only its worker ID: it acquires another one as soon as the loop ends', async () => {
    const ledger = new WindowLedger();
    const store = recordedStore(redisLeaseStore({ url: server.url, namespace: NAMESPACE }), ledger);
    // Few sequence numbers, so that the loop comes to the end of its window.
    const layout = { workerBits: 10, sequenceBits: 3 };
    const maker = await pool.start({ store, layout, lease: { ...SHORT_WINDOW, possibleLoss: 'ignore' } });
    const holder = new Holder(maker);
    const codes = new Set<string>();
    const blockedUntilMs = Date.now() + SHORT_WINDOW.windowMs + SHORT_WINDOW.maxSkewMs + 200;
    // A machine that is away for most of the time leaves IDs of the window, to be used up after it.
    while (Date.now() < blockedUntilMs || codes.size === 0) {
      try {
        for (let count = 0; count < IDS_AT_A_TIME; count++) holder.ids.push(maker.nextBigInt());
      } catch (error) {
        if (!(error instanceof SnowflakeError)) throw error;
        codes.add(error.code);
      }
      blockThread(BLOCK_MS);
    }
    expect([...codes]).toEqual(['SNOWFLAKE_LEASE_EXHAUSTED']);
    expect(workerIdOf(maker)).toBe(0);
    const madeInTheLoop = holder.ids.length;

    await holder.until('another lease', () => holder.eventsOf('acquired').length > 0);
    await holder.until('IDs of another lease', () => {
      holder.issue();
      return holder.ids.length > madeInTheLoop;
    });
    for (let turn = 0; turn < 100; turn++) holder.issue();
    expect(holder.eventsOf('acquired')[0]).toMatchObject({ workerId: 1, previousWorkerId: 0, cause: 'lost' });
    expect(firstDescent(holder.ids.slice(0, madeInTheLoop))).toBe(-1);
    expect(duplicatesIn([holder.ids])).toEqual([]);
    expect(ledger.overlaps()).toEqual([]);
    await holder.until('to have no trouble', () => {
      const { state, lastError } = maker.status();
      return state === 'active' && lastError === undefined;
    });
  });
});
