import { jest } from '@jest/globals';
import type { LeaseStore } from '../lease/lease-store.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import type { SnowflakeOptions } from './snowflake-options.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const START = '2026-01-01T00:00:00Z';
/** More than fit into a tick, so that timestamps run ahead of the clock. */
const COUNT = 5_000;

async function idsOf(store: LeaseStore, clock: VirtualClock, options: Partial<SnowflakeOptions> = {}) {
  const maker = new SnowflakeIdMaker({ store, ...options }, { clock });
  await atOnce(maker.start());
  const ids = maker.nextIds(COUNT);
  await atOnce(maker.stop());
  return ids;
}

/** IDs of makers that follow each other while the clock is frozen. */
async function idsInTurn(
  makers: number,
  storeOf: (clock: VirtualClock) => () => LeaseStore,
): Promise<string[]> {
  const clock = new VirtualClock(START);
  const store = storeOf(clock);
  const ids: string[] = [];
  for (let turn = 0; turn < makers; turn += 1) ids.push(...(await idsOf(store(), clock)));
  return ids;
}

describe('a store of one grant', () => {
  it('serves one ID maker after the other, without repeating an ID', async () => {
    const ids = await idsInTurn(4, (clock) => {
      const store = staticLeaseStore({ workerId: 7, clock });
      return () => store;
    });
    expect(new Set(ids).size).toBe(4 * COUNT);
  });

  it('repeats no ID when the clock stepped back between the two', async () => {
    const [later, earlier] = [new VirtualClock(START), new VirtualClock('2025-12-31T23:00:00Z')];
    let clock = later;
    const store = staticLeaseStore({ workerId: 7, clock: { now: () => clock.now() } });
    const first = await idsOf(store, clock);
    clock = earlier;
    const second = await idsOf(store, clock);
    expect(BigInt(second[0]!)).toBeGreaterThan(BigInt(first.at(-1)!));
  });

  it('refuses a second ID maker while the first one is at work', async () => {
    const clock = new VirtualClock(START);
    const store = staticLeaseStore({ workerId: 7, clock });
    const first = new SnowflakeIdMaker({ store }, { clock });
    await atOnce(first.start());
    await expect(idsOf(store, clock)).rejects.toThrow(/^store is in use by another ID maker/);
    await atOnce(first.stop());
  });

  it('refuses the next ID maker another layout, whose IDs could be equal', async () => {
    const clock = new VirtualClock(START);
    const store = staticLeaseStore({ workerId: 7, clock });
    await idsOf(store, clock);
    await expect(idsOf(store, clock, { layout: { tickMs: 10 } })).rejects.toMatchObject({
      code: 'SNOWFLAKE_LAYOUT_MISMATCH',
    });
    await expect(idsOf(store, clock)).resolves.toHaveLength(COUNT);
  });

  it('grants nothing to who opens it while it is held, and shows what was released', async () => {
    const clock = new VirtualClock(START);
    const store = staticLeaseStore({ workerId: 7, clock });
    const maker = new SnowflakeIdMaker({ store }, { clock });
    await atOnce(maker.start());
    const { rows } = await store.inspect();
    await store.open?.({ callTimeoutMs: 1000 });
    expect((await store.inspect()).rows).toEqual(rows);
    await atOnce(maker.stop());
    await store.open?.({ callTimeoutMs: 1000 });
    expect((await store.inspect()).rows).toMatchObject([{ workerId: 7, fencingToken: '' }]);
  });
});

describe('a fixed worker ID in one process', () => {
  it.each([
    ['1970-01-01T00:00:01Z', /^epoch is in the future: this host's clock reads 1970-01-01T00:00:01.000Z/],
    ['2094-01-01T00:00:00Z', /^epoch is too early: .* this host's clock reads 2094-01-01T00:00:00.000Z/],
  ])('names the clock of the host if it reads %s, outside the layout', (time, message) => {
    const clock = new VirtualClock(time);
    const store = staticLeaseStore({ workerId: 7, clock });
    expect(() => new SnowflakeIdMaker({ store }, { clock })).toThrow(message);
  });

  it('repeats no ID in makers that follow each other on a frozen clock, each with its own store', async () => {
    const ids = await idsInTurn(4, (clock) => () => staticLeaseStore({ workerId: 7, clock }));
    expect(new Set(ids).size).toBe(4 * COUNT);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(BigInt(a) - BigInt(b))));
  });

  it('repeats IDs without the memory, which belongs to a clock (control)', async () => {
    const store = (clock: VirtualClock) => staticLeaseStore({ workerId: 7, clock });
    const ids: string[] = [];
    for (const clock of [new VirtualClock(START), new VirtualClock(START)]) {
      ids.push(...(await idsOf(store(clock), clock)));
    }
    expect(new Set(ids).size).toBe(COUNT);
  });

  it('repeats no ID under fake timers, which freeze Date.now()', async () => {
    jest.useFakeTimers({ now: new Date(START) });
    try {
      const ids: string[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
        await atOnce(maker.start());
        ids.push(...maker.nextIds(COUNT));
        await atOnce(maker.stop());
      }
      expect(new Set(ids).size).toBe(3 * COUNT);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each<[string, boolean, Partial<SnowflakeOptions>]>([
    ['another range of worker IDs', true, { lease: { workerCount: 8 } }],
    ['the same epoch, written in another way', true, { epoch: Date.UTC(2024, 0, 1) }],
    ['another datacenter', false, { datacenterId: 1 }],
    ['another layout', false, { layout: { datacenterBits: 5, workerBits: 5, tickMs: 2 } }],
    ['another epoch', false, { epoch: '2025-01-01' }],
  ])(
    'remembers a fixed worker ID, with %s, for makers whose IDs could be equal: %s',
    async (_, isShared, options) => {
      const clock = new VirtualClock(START);
      const layout = { datacenterBits: 5, workerBits: 5 };
      const firstTimestampMs = async (each: Partial<SnowflakeOptions>): Promise<number> => {
        const store = staticLeaseStore({ workerId: 7, clock });
        const [first] = await idsOf(store, clock, { layout, ...each });
        return new SnowflakeIdMaker({ store, layout, ...each }, { clock }).decode(first!).timestampMs;
      };
      await firstTimestampMs({});
      // A maker that remembers nothing begins within one tick of the clock.
      expect((await firstTimestampMs(options)) > clock.now() + 2).toBe(isShared);
    },
  );

  it('serves one maker at a time, even through another store, and is free after that maker', async () => {
    const clock = new VirtualClock(START);
    const [first, second] = [7, 7].map(
      (workerId) => new SnowflakeIdMaker({ store: staticLeaseStore({ workerId, clock }) }, { clock }),
    ) as [SnowflakeIdMaker, SnowflakeIdMaker];
    const store = staticLeaseStore({ workerId: 7, clock });
    await atOnce(first.start());
    await expect(second.start()).rejects.toMatchObject({
      code: 'SNOWFLAKE_INVALID_OPTION',
      option: 'workerId',
      message: expect.stringContaining('in use by another ID maker of this process'),
    });
    await expect(idsOf(store, clock)).rejects.toThrow('Stop that maker first');
    expect(first.canIssue).toBe(true);
    await atOnce(first.stop());
    expect(await idsOf(store, clock)).toHaveLength(COUNT);
  });

  it('leaves a fixed worker ID to the next maker when a maker stops before its grant arrives', async () => {
    const clock = new VirtualClock(START);
    const store = staticLeaseStore({ workerId: 7, clock });
    let arrive = (): void => undefined;
    const isOnItsWay = new Promise<void>((resolve) => (arrive = resolve));
    const slow: LeaseStore = {
      description: store.description,
      renewable: false,
      lease: async (request) => {
        const reply = await store.lease(request);
        await isOnItsWay;
        return reply;
      },
      release: (request) => store.release(request),
      inspect: () => store.inspect(),
      close: () => store.close(),
    };
    const maker = new SnowflakeIdMaker({ store: slow }, { clock });
    const refused = expect(atOnce(maker.start())).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
    await clock.advance(0);
    const stopped = maker.stop();
    arrive();
    await atOnce(stopped);
    await refused;
    expect(await idsOf(staticLeaseStore({ workerId: 7, clock }), clock)).toHaveLength(COUNT);
  });

  it('keeps a fixed worker ID without renewals, although the app calls renew()', async () => {
    const clock = new VirtualClock(START);
    const store = staticLeaseStore({ workerId: 7, clock });
    let calls = 0;
    const { lease } = store;
    store.lease = (...given) => {
      calls += 1;
      return lease.apply(store, given);
    };
    const maker = new SnowflakeIdMaker({ store }, { clock });
    await atOnce(maker.start());
    expect(maker.renewEveryMs).toBeUndefined();
    await atOnce(maker.renew());
    await clock.advance(60_000);
    await atOnce(maker.stop());
    expect(calls).toBe(1);
  });

  it('warns when the clock is behind what it remembers', async () => {
    const clock = new VirtualClock(START);
    const first = await idsOf(staticLeaseStore({ workerId: 7, clock }), clock);
    clock.step(-3_600_000);
    const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7, clock }) }, { clock });
    const warnings: string[] = [];
    maker.subscribe((event) => event.type === 'warning' && warnings.push(event.message));
    await atOnce(maker.start());
    expect(BigInt(maker.nextId())).toBeGreaterThan(BigInt(first.at(-1)!));
    expect(warnings).toEqual([
      'Worker ID 7 continues after 2026-01-01T00:00:00.002Z, which this process has used already. ' +
        'The clock has stepped back to 2025-12-31T23:00:00.000Z.',
    ]);
    await atOnce(maker.stop());
  });
});
