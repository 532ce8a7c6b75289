import type { LeaseStore } from '../lease/index.js';
import { staticLeaseStore } from '../stores/static/index.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import type { SnowflakeOptions } from './snowflake-options.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

const START = '2026-01-01T00:00:00Z';
/** More than fit into a tick, so that timestamps run ahead of the clock. */
const COUNT = 10_000;

async function idsOf(store: LeaseStore, clock: VirtualClock, options: Partial<SnowflakeOptions> = {}) {
  const maker = new SnowflakeIdMaker({ store, ...options }, { clock });
  await maker.start();
  const ids = maker.nextIds(COUNT);
  await maker.stop();
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

  it('would repeat IDs if it did not remember the last timestamp used', async () => {
    const ids = await idsInTurn(4, (clock) => () => staticLeaseStore({ workerId: 7, clock }));
    expect(new Set(ids).size).toBe(COUNT);
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
    await first.start();
    await expect(idsOf(store, clock)).rejects.toThrow(/^store is in use by another ID maker/);
    await first.stop();
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
    await maker.start();
    const { rows } = await store.inspect();
    await store.open?.({ callTimeoutMs: 1000 });
    expect((await store.inspect()).rows).toEqual(rows);
    await maker.stop();
    await store.open?.({ callTimeoutMs: 1000 });
    expect((await store.inspect()).rows).toMatchObject([{ workerId: 7, fencingToken: '' }]);
  });
});
