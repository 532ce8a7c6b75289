import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { type LeaseStep, MAX_SKEW_MS, START_MS, WINDOW_MS } from '../../support/differential/model-pair.js';
import { changeRuns } from '../../support/differential/play-runs.js';
import { EVERY_OUTCOME } from '../../support/differential/steps.js';
import { compareSearches, compareWithModel } from './compare-with-model.js';
import { RedisPair } from './redis-pair.js';
import { VirtualServer } from './virtual-server.js';

let server: RedisServer;
let virtual: VirtualServer;

beforeAll(async () => {
  server = await startRedis();
  virtual = new VirtualServer(server, 'differential');
});
afterAll(async () => {
  await virtual.close();
  await server.stop();
});

describe('the Lua scripts and the model', () => {
  it('answers and stores the same as the model, step by step, with few worker IDs', async () =>
    expect(await compareWithModel(virtual, changeRuns(8, 1))).toEqual(EVERY_OUTCOME));

  it('answers and stores the same as the model beyond 1,024 worker IDs', async () =>
    expect(compareSearches(virtual, changeRuns(2, 1))).resolves.toBeUndefined());

  it.each([
    { rows: 'all rows', range: { firstWorkerId: 5, workerCount: 4 }, damaged: ['8', '6'], lowest: '6' },
    {
      rows: 'a stretch that wraps around',
      range: { firstWorkerId: 5, workerCount: 5000 },
      damaged: ['4990', '6', '1000'],
      lowest: '6',
    },
  ])('checks only worker IDs, and names the lowest unreadable of $rows', async ({ range, ...rows }) => {
    const { firstWorkerId, workerCount } = range;
    const pair = new RedisPair(virtual, range);
    const row = (endedMsAgo: number): string => `${START_MS - endedMsAgo} nonce1@${START_MS - WINDOW_MS}`;
    const strangers = ['4', '005', '5.0', ' 5', '0x6', '5e0', 'inf', 'nan', 'note', '', '5005'];
    await pair.prepare({
      layout: 'own',
      historyId: pair.historyId,
      grantsAfter: String(START_MS - WINDOW_MS),
      grantsAfterReason: 'empty',
      window: String(WINDOW_MS),
      fresh: String(firstWorkerId + workerCount),
      ...Object.fromEntries(strangers.map((field) => [field, row(500)])),
      ...Object.fromEntries([5, 6, 7, 8, 1000, 4990].map((workerId) => [workerId, row(100)])),
    });
    const call: LeaseStep = {
      nonce: 0,
      retry: false,
      trust: false,
      ignoreLoss: false,
      preferLongestOffline: false,
      searchSeed: 4980,
      windowMs: WINDOW_MS,
      maxSkewMs: MAX_SKEW_MS,
      isOtherLayout: false,
      shows: false,
      grant: 0,
      shownMs: 0,
      attempts: [],
    };
    await pair.lease(call);
    await pair.lease({ ...call, nonce: 1, retry: true });
    for (const field of rows.damaged) await pair.write(field, '1e3 nonce1@1');
    await pair.lease(call);
    expect(pair.lastReply).toEqual({ outcome: 'corrupt', field: rows.lowest, stored: '1e3 nonce1@1' });
    for (const field of strangers) await pair.write(field, 'x');
    for (const field of rows.damaged) await pair.write(field, row(50));
    await pair.lease(call);
    expect(pair.lastReply).toMatchObject({ outcome: 'new', untilMs: START_MS + WINDOW_MS });
  });
});
