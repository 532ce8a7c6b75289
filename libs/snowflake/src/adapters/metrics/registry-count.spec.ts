import type { RegistrySnapshot } from '../../lease/lease-store.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { memoryLeaseStore } from '../../stores/memory/memory-lease-store.js';
import { RegistryCount } from './registry-count.js';

const MINUTE_MS = 60_000;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A maker that answers as the test says, and counts how often it is asked. */
class Asked {
  calls = 0;
  constructor(public answer: () => Promise<RegistrySnapshot>) {}

  inspect(): Promise<RegistrySnapshot> {
    this.calls += 1;
    return this.answer();
  }
}

describe('the count of a registry', () => {
  let snapshot: RegistrySnapshot;

  beforeAll(async () => {
    const maker = new SnowflakeIdMaker({
      store: memoryLeaseStore(),
      layout: { timestampBits: 41, workerBits: 4, sequenceBits: 12 },
    });
    await maker.start();
    snapshot = await maker.inspect();
    await maker.stop();
  });

  it('tells the worker IDs of each state, which together are all of the layout', async () => {
    const count = new RegistryCount(new Asked(() => Promise.resolve({ ...snapshot, waiting: 3 })));
    expect(count.latest(0)).toBeUndefined();
    await settled();
    expect(count.latest(1)).toEqual({
      workerIds: { held: 1, offline: 0, released: 0, reserved: 0, unused: 15 },
      waiting: 3,
    });
  });

  it('reads once a minute, however often it is asked, and also after the clock stepped back', async () => {
    const asked = new Asked(() => Promise.resolve(snapshot));
    const count = new RegistryCount(asked);
    for (const nowMs of [0, 1, MINUTE_MS - 1]) {
      count.latest(nowMs);
      await settled();
    }
    expect(asked.calls).toBe(1);
    count.latest(MINUTE_MS);
    await settled();
    expect(asked.calls).toBe(2);
    count.latest(-MINUTE_MS);
    expect(asked.calls).toBe(3);
  });

  it('answers at once while the store hangs, and asks it only once', async () => {
    const asked = new Asked(() => new Promise(() => undefined));
    const count = new RegistryCount(asked);
    for (const minute of [0, 1, 2]) expect(count.latest(minute * MINUTE_MS)).toBeUndefined();
    await settled();
    expect(asked.calls).toBe(1);
  });

  it('tells nothing after a read that failed, and goes on', async () => {
    const asked = new Asked(() => Promise.resolve(snapshot));
    const count = new RegistryCount(asked);
    count.latest(0);
    await settled();
    asked.answer = () => Promise.reject(new Error('unreachable'));
    expect(count.latest(MINUTE_MS)).toBeDefined();
    await settled();
    expect(count.latest(MINUTE_MS + 1)).toBeUndefined();
    asked.answer = () => Promise.resolve(snapshot);
    count.latest(2 * MINUTE_MS);
    await settled();
    expect(count.latest(2 * MINUTE_MS + 1)).toBeDefined();
  });
});
