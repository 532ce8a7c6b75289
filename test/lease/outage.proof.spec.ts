import { LeaseExhaustedError, type LeaseStore, type SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { WindowLedger } from '../../libs/snowflake/src/store-testing/window-ledger.js';
import { startRedis, type RedisOptions, type RedisServer } from '../support/servers/index.js';
import { Inspector } from './support/inspector.js';
import { duplicatesIn } from './support/judge.js';
import { MakerPool, workerIdOf } from './support/maker-pool.js';
import { recordedStore } from './support/recorded-store.js';
import { SHORT_WINDOW } from './support/short-window.js';
import { type Holder, Traffic } from './support/traffic.js';

const NAMESPACE = 'outage';
/** Eight IDs per millisecond, so that the reserve can be used up in a test. */
const layout = { workerBits: 10, sequenceBits: 3 };
const TEST_WITHIN_MS = 120_000;

const pool = new MakerPool();
let traffic: Traffic;
let server: RedisServer;
let ledger: WindowLedger;

afterEach(async () => {
  await traffic.end();
  await pool.stopAll();
  await server.stop();
});

async function setScene(options: RedisOptions): Promise<void> {
  server = await startRedis(options);
  traffic = new Traffic();
  ledger = new WindowLedger();
}

const redisStore = (): LeaseStore => redisLeaseStore({ url: server.url, namespace: NAMESPACE });

function newMaker(
  onEmptyStore: 'assumeNew' | 'wait',
  store = recordedStore(redisStore(), ledger),
): SnowflakeIdMaker {
  return pool.make({ store, layout, lease: { ...SHORT_WINDOW, onEmptyStore } });
}

interface Outage {
  readonly name: string;
  readonly redis: RedisOptions;
  /** Whether the server may have forgotten grants, so that those it may have forgotten must end first. */
  readonly isHistoryLost: boolean;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

const OUTAGES: Outage[] = [
  {
    name: 'is killed and loses everything',
    redis: { persistence: 'none' },
    isHistoryLost: true,
    begin: () => server.kill(),
    end: () => server.restart(),
  },
  {
    name: 'is killed and keeps its data',
    redis: { persistence: 'aof' },
    isHistoryLost: true,
    begin: () => server.kill(),
    end: () => server.restart(),
  },
  {
    name: 'hangs',
    redis: { persistence: 'none' },
    isHistoryLost: false,
    begin: () => server.pause(),
    end: () => server.resume(),
  },
];

async function isExhausted(holder: Holder): Promise<void> {
  await holder.until('to be exhausted', ({ error }) => error instanceof LeaseExhaustedError);
  const { leaseUntil, state } = holder.maker.status();
  expect(state).toBe('exhausted');
  expect(holder.error).toMatchObject({
    code: 'SNOWFLAKE_LEASE_EXHAUSTED',
    retryable: true,
    endedAt: leaseUntil,
  });
  // Every timestamp of the window was used, and none beyond.
  expect(holder.lastTimestampMs).toBe(leaseUntil!.getTime());
}

describe.each(OUTAGES)(
  'when Redis $name for longer than the window',
  ({ redis, isHistoryLost, begin, end }) => {
    it(
      'issuing goes on in logical time, stops, and resumes by itself, without a duplicate',
      async () => {
        await setScene(redis);
        const holders = [
          await traffic.join(newMaker('assumeNew')),
          await traffic.join(newMaker('assumeNew')),
        ];
        for (const holder of holders) {
          await holder.until('to renew', () => holder.eventsOf('renewed').length > 0);
          await holder.until('to have no trouble', ({ maker }) => maker.status().lastError === undefined);
        }
        const troublesBefore = holders.map((holder) => holder.eventsOf('renewal-failed').length);
        await begin();

        for (const holder of holders) {
          await holder.until('to be degraded', ({ states }) => states.includes('degraded'));
          await isExhausted(holder);
          expect(holder.states).toEqual(['acquiring', 'active', 'degraded', 'exhausted']);
          const { failures } = holder;
          await holder.until('to be asked in vain', () => holder.failures > failures + 20);
          expect(holder.lastTimestampMs).toBe(holder.maker.status().leaseUntil!.getTime());
        }

        const backAtMs = Date.now();
        await end();
        const newcomer = await traffic.join(newMaker('wait'));
        for (const holder of holders) {
          await holder.until('to issue again', ({ error, states }) => !error && states.at(-1) === 'active');
        }
        const made = traffic.ids.map(({ length }) => length);
        await newcomer.until('everybody to issue', () =>
          traffic.ids.every(({ length }, i) => length > made[i]! + 500),
        );

        expect(duplicatesIn(traffic.ids)).toEqual([]);
        expect(ledger.overlaps()).toEqual([]);
        expect(new Set(traffic.holders.map(({ maker }) => workerIdOf(maker))).size).toBe(3);
        holders.forEach((holder, index) => {
          expect(holder.eventsOf('renewal-failed').length - troublesBefore[index]!).toBe(1);
          expect(holder.eventsOf('recovered').at(-1)!.failures).toBeGreaterThan(2);
          expect(holder.eventsOf('acquired').map(({ cause }) => cause)).toEqual(['start', 'lost']);
          const { fromMs } = holder.eventsOf('acquired').at(-1)!;
          expect(fromMs > backAtMs + SHORT_WINDOW.windowMs).toBe(isHistoryLost);
        });
        // Calls that were stuck, and ran when nobody waited for them any more, took no worker ID of their own.
        const inspector = new Inspector(server.url, NAMESPACE);
        expect((await inspector.snapshot()).rows.length).toBeLessThanOrEqual(5);
        await inspector.close();
      },
      TEST_WITHIN_MS,
    );
  },
);

describe('a holder that extends its own window when Redis is gone', () => {
  /** Asks Redis for the first lease, and then nobody. */
  function selfExtending(store: LeaseStore): LeaseStore {
    let isHeld = false;
    return {
      description: store.description,
      renewable: true,
      open: (settings) => store.open?.(settings),
      async lease(request) {
        const storeNowMs = Date.now();
        if (isHeld) return { outcome: 'kept', storeNowMs, untilMs: storeNowMs + request.windowMs };
        const reply = await store.lease(request);
        isHeld = reply.outcome === 'new';
        return reply;
      },
      release: (request) => store.release(request),
      inspect: () => store.inspect(),
      close: () => store.close(),
    };
  }

  it('never stops, and makes the same IDs as a newcomer', async () => {
    await setScene({ persistence: 'none' });
    const holder = await traffic.join(newMaker('assumeNew', selfExtending(redisStore())));
    await server.kill();
    await server.restart();
    const newcomer = await traffic.join(newMaker('wait'));
    await newcomer.until('to have issued', ({ ids }) => ids.length > 500);
    expect(workerIdOf(newcomer.maker)).toBe(workerIdOf(holder.maker));
    expect(holder.failures).toBe(0);
    expect(duplicatesIn(traffic.ids).length).toBeGreaterThan(0);
  });
});
