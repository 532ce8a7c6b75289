import { requestOf } from '../../../libs/snowflake/src/stores/port/store-under-test.js';
import { backfillScript } from '../../../libs/snowflake/src/stores/redis/backfill-script.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { VirtualServer } from './virtual-server.js';

const START_MS = Date.UTC(2026, 10, 1);
const CLAIM = {
  layout: 'contract layout',
  firstWorkerId: 0,
  workerCount: 3,
  firstMs: 1000,
  untilMs: 2000,
  maxShiftMs: 0,
  ignoreLoss: false,
};

let server: RedisServer;
let virtual: VirtualServer;

beforeAll(async () => {
  server = await startRedis();
  virtual = new VirtualServer(server, 'backfill');
});
afterAll(async () => {
  await virtual.close();
  await server.stop();
});

describe('claims of the past on Redis [promise: after-loss]', () => {
  it('are refused on a server with another history, before a lease has noticed it', async () => {
    const first = { nowMs: START_MS, historyId: 'one/one' };
    await virtual.become(first);
    await virtual.store.lease(requestOf(1));
    await virtual.become({ ...first, nowMs: START_MS + 1 });
    const claim = (changes = {}) => virtual.store.backfill({ ...CLAIM, ...changes });
    expect(await claim({ ignoreLoss: true })).toMatchObject({ outcome: 'claimed', workerId: 2 });
    expect(await claim({ firstMs: 2001, untilMs: 3000 })).toMatchObject({ outcome: 'claimed', fromMs: 2000 });

    await virtual.become({ nowMs: START_MS + 2, historyId: 'two/one' });
    const stored = await virtual.redis.hgetall(virtual.key);
    expect(await claim({ firstMs: 3001, untilMs: 4000 })).toEqual({ outcome: 'possible-loss' });
    expect(await claim({ firstMs: 3001, untilMs: 4000, ignoreLoss: true })).toEqual({ outcome: 'wait' });
    expect(await virtual.redis.hgetall(virtual.key)).toEqual(stored);
  });

  it('write nothing if the registry has changed since it was read', async () => {
    const key = 'snowflake:{changed}';
    const layout = 'contract layout';
    const run = (): Promise<unknown> =>
      virtual.redis.eval(backfillScript(), 1, key, '0', layout, '0', '7', '', '9 row');
    await virtual.redis.hset(key, { layout, grantsAfter: '1', historyId: await historyOf() });
    expect(await run()).toEqual(['CHANGED']);
    await virtual.redis.hset(key, { grantsAfter: '0', 7: '8 other' });
    expect(await run()).toEqual(['CHANGED']);
    await virtual.redis.hdel(key, '7');
    expect(await run()).toEqual(['CLAIMED']);
    expect(await virtual.redis.hget(key, '7')).toBe('9 row');
  });

  async function historyOf(): Promise<string> {
    const info = await virtual.redis.info();
    return `${/master_replid:(\w+)/.exec(info)?.[1]}/${/run_id:(\w+)/.exec(info)?.[1]}`;
  }
});
