import fc from 'fast-check';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { type LeaseStep, MAX_SKEW_MS, START_MS, WINDOW_MS } from '../../support/differential/model-pair.js';
import { EVERY_OUTCOME, leaseStep, smallRange, stepsWith } from '../../support/differential/steps.js';
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

const garbage = [
  '',
  'x',
  '-1',
  '1e3',
  '12',
  '12 nonce1@zzz',
  '9999999999999999 nonce1@5',
  '9999999999999999',
  ' 5 a',
  '1.5 a',
];

/** Runs of about 90 steps each. DIFFERENTIAL_RUNS=1150 makes more than 100,000 steps of it. */
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? 30);

describe('the Lua scripts and the model', () => {
  it(
    'answer and store the same, step by step, with few worker IDs',
    async () => {
      const outcomes = new Set<string>();
      const runs = fc.asyncProperty(smallRange, stepsWith(garbage), async (range, steps) => {
        const pair = new RedisPair(virtual, range);
        await pair.prepare();
        for (const play of steps) await play(pair);
        for (const outcome of pair.outcomes) outcomes.add(outcome);
      });
      await fc.assert(runs, { numRuns: RUNS });
      expect([...outcomes].sort()).toEqual(EVERY_OUTCOME);
    },
    60_000 + 2000 * RUNS,
  );

  it('answer and store the same beyond 1,024 worker IDs, where a search looks at a stretch', async () => {
    const COUNT = 5000;
    const FIRST = 3;
    const runs = fc.asyncProperty(
      fc.record({
        fresh: fc.constantFrom(FIRST, FIRST + 1, FIRST + 4500, FIRST + COUNT),
        absent: fc.nat(COUNT - 1),
      }),
      fc.integer({ min: 1, max: 97 }),
      fc.array(leaseStep, { minLength: 6, maxLength: 6 }),
      async ({ fresh, absent }, spread, leases) => {
        const pair = new RedisPair(virtual, { firstWorkerId: FIRST, workerCount: COUNT });
        const fields: Record<string, string> = {
          layout: 'own',
          historyId: pair.historyId,
          grantsAfter: String(START_MS - 1),
          grantsAfterReason: 'empty',
          window: String(WINDOW_MS),
          fresh: String(fresh),
        };
        for (let index = 0; index < COUNT; index += 1) {
          const reservedUntilMs = START_MS + MAX_SKEW_MS + 200 + ((index * 7919) % spread);
          if (index !== absent)
            fields[String(FIRST + index)] = `${reservedUntilMs} nonce${index % 7}@${START_MS}`;
        }
        await pair.prepare(fields);
        for (const lease of leases) {
          await pair.lease(lease);
          await pair.pass(180);
        }
      },
    );
    await fc.assert(runs, { numRuns: 8 });
  });

  it.each([
    { rows: 'all rows', range: { firstWorkerId: 5, workerCount: 4 }, damaged: ['8', '6'], lowest: '6' },
    {
      rows: 'a stretch that wraps around',
      range: { firstWorkerId: 5, workerCount: 5000 },
      damaged: ['4990', '6', '1000'],
      lowest: '6',
    },
  ])('look at worker IDs alone, and name the lowest unreadable of $rows', async ({ range, ...rows }) => {
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
      preferOffline: false,
      searchSeed: 4980,
      windowMs: WINDOW_MS,
      maxSkewMs: MAX_SKEW_MS,
      isOtherLayout: false,
      shows: false,
      grant: 0,
      shownMs: 0,
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
