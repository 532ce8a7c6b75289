import { LeaseExhaustedError, type LeaseStore, type SnowflakeIdMaker } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { WindowLedger } from '../../../../libs/snowflake/src/stores/port/window-ledger.js';
import { startRedis, type RedisOptions, type RedisServer } from '../../../support/servers/index.js';
import { Inspector } from '../../../lease/support/inspector.js';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../../../lease/support/maker-pool.js';
import { recordedStore } from '../../../lease/support/recorded-store.js';
import { SHORT_WINDOW } from '../../../lease/support/short-window.js';
import { type Holder, Traffic } from '../../../lease/support/traffic.js';

const NAMESPACE = 'outage';
/** Eight IDs per millisecond, so that the reserve can be used up in a test. */
const layout = { workerBits: 10, sequenceBits: 3 };
const TEST_WITHIN_MS = 240_000;

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
  possibleLoss: 'wait' | 'ignore',
  store = recordedStore(redisStore(), ledger),
): SnowflakeIdMaker {
  return pool.make({
    store,
    layout,
    lease: { ...SHORT_WINDOW, acquireTimeoutMs: TEST_WITHIN_MS, possibleLoss },
  });
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
  'when Redis $name for longer than the window [promise: fail-closed, unique]',
  ({ redis, isHistoryLost, begin, end }) => {
    it(
      'issuing goes on in logical time, stops, and resumes by itself, without a duplicate',
      async () => {
        await setScene(redis);
        const holders = [await traffic.join(newMaker('ignore')), await traffic.join(newMaker('ignore'))];
        for (const holder of holders) {
          await holder.until('to renew', () => holder.eventsOf('renewed').length > 0);
        }
        await holders[0]!.until('everybody to have no trouble', () =>
          holders.every(({ maker }) => {
            const { state, lastError } = maker.status();
            return state === 'active' && lastError === undefined;
          }),
        );
        // What a busy machine has cost them before, and may cost them afterwards, is not what is tried here.
        const before = holders.map(({ eventCount }) => eventCount);
        const beganAtMs = Date.now();
        await begin();

        for (const [index, holder] of holders.entries()) {
          await isExhausted(holder);
          // Events of a state come with the next call of the store.
          await holder.until(
            'to announce it',
            () => holder.statesSince(before[index]!).at(-1) === 'exhausted',
          );
          expect(holder.statesSince(before[index]!).slice(-2)).toEqual(['degraded', 'exhausted']);
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
          const since = before[index]!;
          const [recovered] = holder.eventsOf('recovered', since);
          expect(recovered!.failures).toBeGreaterThan(2);
          expect(holder.failuresUntil(recovered!, since)).toBe(1);
          const [acquired] = holder.eventsOf('acquired', since);
          expect(acquired!.cause).toBe('lost');
          expect(acquired!.fromMs > backAtMs + SHORT_WINDOW.windowMs).toBe(isHistoryLost);
        });
        // Calls that were stuck, and ran when nobody waited for them any more, mostly got one grant, because each lists those before it.
        const inspector = new Inspector(server.url, NAMESPACE);
        const { rows } = await inspector.snapshot();
        const acquisitions = traffic.holders.flatMap((holder) => holder.eventsOf('acquired'));
        const windows = Math.ceil((backAtMs - beganAtMs) / SHORT_WINDOW.windowMs);
        expect(rows.length).toBeLessThanOrEqual(acquisitions.length + windows * holders.length);
        await inspector.close();
      },
      TEST_WITHIN_MS,
    );
  },
);

describe('a holder that extends its own window when Redis is gone [promise: fail-closed, unique]', () => {
  /** Asks Redis for the first lease, and then nobody. */
  function selfExtending(store: LeaseStore): LeaseStore {
    let isHeld = false;
    return {
      description: store.description,
      renewable: true,
      open: (settings) => store.open?.(settings),
      async lease(request) {
        const storeNowMs = Date.now();
        const { fencingToken = '' } = request.claim ?? {};
        if (isHeld)
          return { outcome: 'kept', fencingToken, storeNowMs, untilMs: storeNowMs + request.windowMs };
        const reply = await store.lease(request);
        isHeld = reply.outcome === 'new';
        return reply;
      },
      release: (request) => store.release(request),
      inspect: () => store.inspect(),
      close: () => store.close(),
    };
  }

  it('never stops, and generates the same IDs as a newcomer (control)', async () => {
    await setScene({ persistence: 'none' });
    const holder = await traffic.join(newMaker('ignore', selfExtending(redisStore())));
    await server.kill();
    await server.restart();
    const newcomer = await traffic.join(newMaker('wait'));
    await newcomer.until('to have issued', ({ ids }) => ids.length > 500);
    expect(workerIdOf(newcomer.maker)).toBe(workerIdOf(holder.maker));
    expect(holder.failures).toBe(0);
    await expect(traffic.untilDuplicate()).resolves.toBe(true);
  });
});
