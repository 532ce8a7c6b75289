import { readFileSync } from 'node:fs';
import { leaseScript } from '../../../libs/snowflake/src/stores/redis/lease-script.js';
import { redisServer } from '../../../libs/snowflake/src/stores/redis/lua.js';
import { withoutKeepingWindow } from './altered-histories.js';
import { claimOf, firstRequest, granted, MAX_SKEW_MS, request } from './requests.js';
import { OperatedRedis } from '../../support/operated-redis.js';
import { cleanUpAfterEach } from '../../support/clean-up.js';

const START_MS = Date.UTC(2026, 0, 1);
const SECOND_MS = 1000;
const LONG = { windowMs: 60 * SECOND_MS };
const SHORT = { windowMs: 30 * SECOND_MS };
const CLOCK_KEY = 'test:clock';
const KEY = 'snowflake:{shop}';

/** A real server with histories of its own; the test decides its clock, to pass a minute in no time. */
const onTestClock = leaseScript({
  ...redisServer,
  time: `redis.call('HMGET', '${CLOCK_KEY}', 'seconds', 'microseconds')`,
});

const cleanUp = cleanUpAfterEach();

/** A server whose clock the test sets. */
async function startServer(lease: string) {
  const redis = await OperatedRedis.start(cleanUp, { persistence: 'rdb' });
  return {
    operator: redis.operator,
    store: () => redis.store({ namespace: 'shop', lease }),
    at: (seconds: number) =>
      redis.operator.hset(CLOCK_KEY, { seconds: START_MS / SECOND_MS + seconds, microseconds: 0 }),
    /** It forgets what it has not saved. */
    forget: async () => {
      await redis.server.kill();
      await redis.server.restart();
    },
  };
}

/**
 * A holder has a window of 60 s. A first loss; the first to call in the new history has a window of 30 s. The holder
 * renews, and a second loss forgets it. Resolves to what the holder has, and to the next grant of its worker ID.
 */
async function loseTwice(lease: string) {
  const server = await startServer(lease);
  await server.at(0);
  const holder = await granted(server.store().lease(firstRequest('long', LONG)));
  await server.operator.save();

  await server.forget();
  await server.at(1);
  expect(await server.store().lease(request('short', SHORT))).toMatchObject({ outcome: 'wait' });
  await server.operator.save();
  await server.at(40);
  const claim = claimOf(holder);
  const renewed = await server.store().lease(request('long', { ...LONG, ...claim }));
  expect(renewed).toMatchObject({ outcome: 'kept', untilMs: START_MS + 100 * SECOND_MS });

  await server.forget();
  await server.at(44);
  const newcomer = { ...SHORT, workerCount: 1 };
  expect(await server.store().lease(request('short', newcomer))).toMatchObject({ outcome: 'wait' });
  const { grantsAfterMs = 0 } = await server.store().inspect();
  await server.at((grantsAfterMs - START_MS) / SECOND_MS + 1);
  const again = await granted(server.store().lease(request('short', newcomer)));
  expect(again.workerId).toBe(holder.workerId);
  return { forgottenUntilMs: START_MS + 100 * SECOND_MS, again };
}

describe('the longest window that was ever requested [promise: after-loss]', () => {
  it('keeps the longest window across histories, so a forgotten lease has ended before the next grant begins', async () => {
    const { forgottenUntilMs, again } = await loseTwice(onTestClock);
    expect(again.fromMs).toBe(START_MS + 44 * SECOND_MS + LONG.windowMs + MAX_SKEW_MS);
    expect(again.fromMs).toBeGreaterThanOrEqual(forgottenUntilMs);
  });

  it('begins the next grant within a forgotten lease with the window of the first caller (control)', async () => {
    const { forgottenUntilMs, again } = await loseTwice(withoutKeepingWindow(onTestClock));
    expect(forgottenUntilMs - again.fromMs).toBe(21 * SECOND_MS);
  });

  it('takes a shorter window from the operator, as docs/operations/upgrading.md says', async () => {
    const page = readFileSync(new URL('../../../docs/operations/upgrading.md', import.meta.url), 'utf8');
    const [, key = '', field = '', value = ''] = /HSET '(\S+)' (window) (\d+)/.exec(page) ?? [];
    expect([key, Number(value)]).toEqual([KEY, SHORT.windowMs]);
    const server = await startServer(onTestClock);
    await server.at(0);
    await granted(server.store().lease(firstRequest('long', LONG)));
    await server.operator.hset(key, field, value);
    await server.at(61);
    await granted(server.store().lease(request('short', SHORT)));
    await server.operator.save();
    await server.forget();
    await server.at(62);
    const waitMs = SHORT.windowMs + MAX_SKEW_MS;
    expect(await server.store().lease(request('other', SHORT))).toMatchObject({ outcome: 'wait', waitMs });
    expect(await server.operator.hget(KEY, 'window')).toBe(value);
  });
});
