import type { LeaseReply } from 'nestjs-snowflake/store';
import { granted, MAX_SKEW_MS, request, WINDOW_MS } from '../integration/redis-store/requests.js';
import { VirtualServer } from '../integration/redis-store/virtual-server.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';

const TRUE_MS = Date.UTC(2026, 0, 1);
const AHEAD_MS = 3_600_000;
const WAIT_MS = WINDOW_MS + MAX_SKEW_MS;

let server: RedisServer;
let virtual: VirtualServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(() => {
  namespaces += 1;
  virtual = new VirtualServer(server, `clock-${namespaces}`);
});
afterEach(() => virtual.close());

const at = (nowMs: number, historyId: string): Promise<void> => virtual.become({ nowMs, historyId });
/** There is one worker ID. */
const lease = (nonce: string, assumeNew = false): Promise<LeaseReply> =>
  virtual.store.lease(request(nonce, { workerCount: 1, assumeNew }));

/** A server restarts with a clock that is an hour ahead, which is then put right. */
async function restartAhead(): Promise<void> {
  await at(TRUE_MS, 'first');
  await granted(lease('a', true));
  await at(TRUE_MS + AHEAD_MS, 'second');
  expect(await lease('b')).toMatchObject({ outcome: 'wait' });
  await at(TRUE_MS + 1000, 'second');
}

/** The last reserved timestamp, as an operator reads it from the rows. */
async function lastGivenAwayMs(): Promise<number> {
  const rows = Object.entries(await virtual.fields()).filter(([field]) => /^\d+$/.test(field));
  return Math.max(...rows.map(([, row]) => Number(row.split(' ')[0])));
}

describe('a server that restarts with a clock that is ahead', () => {
  it('makes newcomers wait until a window after the wrong time, though the clock was corrected', async () => {
    await restartAhead();
    expect(await lease('b')).toMatchObject({
      outcome: 'wait',
      waitMs: AHEAD_MS - 1000 + WAIT_MS,
    });
  });

  it('grants again after a window if the key is deleted as the page for operators says', async () => {
    await restartAhead();
    // All processes have stopped; no row lies further ahead of the true time than a window.
    const lastMs = await lastGivenAwayMs();
    expect(lastMs - (TRUE_MS + 1000)).toBeLessThanOrEqual(WINDOW_MS);
    await virtual.redis.del(virtual.key);
    expect(await lease('c')).toMatchObject({ outcome: 'wait', waitMs: WAIT_MS });
    await at(TRUE_MS + 1000 + WAIT_MS + 1, 'second');
    const { fromMs } = await granted(lease('c'));
    expect(fromMs).toBeGreaterThanOrEqual(lastMs);
  });

  it('grants timestamps twice if the key is deleted although a row lies further ahead (control)', async () => {
    await restartAhead();
    await at(TRUE_MS + AHEAD_MS + WAIT_MS + 1, 'second');
    const early = await granted(lease('d'));
    await at(TRUE_MS + 2000, 'second');
    expect((await lastGivenAwayMs()) - (TRUE_MS + 2000)).toBeGreaterThan(WINDOW_MS);
    await virtual.redis.del(virtual.key);
    expect(await lease('e')).toMatchObject({ outcome: 'wait', waitMs: WAIT_MS });
    // An hour later the clock reaches the timestamps that were reserved while it was ahead.
    await at(early.fromMs, 'second');
    const again = await granted(lease('f'));
    expect(again.workerId).toBe(early.workerId);
    expect(again.fromMs).toBeLessThan(early.untilMs);
    expect(again.untilMs).toBeGreaterThan(early.fromMs);
  });
});
