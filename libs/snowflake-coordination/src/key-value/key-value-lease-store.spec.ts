import { MemoryKeyValues } from '../../../../test/support/memory-key-values.js';
import { StoreUnavailableError } from '../../../snowflake/src/core/errors/lease-errors.js';
import { FAR_DEADLINE, requestOf } from '../../../snowflake/src/stores/port/store-under-test.js';
import { KeyValueLeaseStore } from './key-value-lease-store.js';
import { Overtaken } from './key-value-port.js';

/** Keys and values that count the attempts, and hold each commit until the test lets it go. */
class HeldKeyValues extends MemoryKeyValues {
  attempts = 0;
  atCommit = 0;
  most = 0;
  override server = { nowMs: Date.UTC(2026, 0, 1), historyId: 'history 1', positionAtMost: 0n };
  private release: () => void = () => undefined;

  constructor(readonly takesTurns: boolean) {
    super();
    const gate = new Promise<void>((resolve) => (this.release = resolve));
    this.beforeStep = async (step) => {
      if (step !== 'commit') return;
      this.most = Math.max(this.most, (this.atCommit += 1));
      await gate;
      this.atCommit -= 1;
    };
  }

  override port(): this {
    this.attempts += 1;
    return this;
  }

  letGo(): void {
    this.release();
  }
}

const someTurns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('a store of keys and values whose connection serves one attempt at a time', () => {
  /** Returns how many of three calls were under way at once. All are granted a worker ID. */
  async function mostAtOnce(takesTurns: boolean): Promise<number> {
    const values = new HeldKeyValues(takesTurns);
    const store = new KeyValueLeaseStore('test namespace', values);
    const calls = [1, 2, 3].map((holder) => store.lease(requestOf(holder), FAR_DEADLINE));
    await someTurns();
    values.letGo();
    const replies = await Promise.all(calls);
    expect(replies.map(({ outcome }) => outcome)).toEqual(['new', 'new', 'new']);
    return values.most;
  }

  it('lets calls wait for each other', async () => {
    expect(await mostAtOnce(true)).toBe(1);
  });

  it('lets calls run at once without that (control)', async () => {
    expect(await mostAtOnce(false)).toBe(3);
  });

  it('ends a call whose turn does not come by its deadline, and lets the next one have its turn', async () => {
    const values = new HeldKeyValues(true);
    const store = new KeyValueLeaseStore('test namespace', values);
    const first = store.lease(requestOf(1), FAR_DEADLINE);
    const late = store.lease(requestOf(2), { timeoutMs: 20, remainingMs: () => 20 });
    const last = store.lease(requestOf(3), FAR_DEADLINE);
    await expect(late).rejects.toThrow(StoreUnavailableError);
    expect(values.attempts).toBe(1);
    values.letGo();
    expect(await first).toMatchObject({ outcome: 'new', workerId: 0 });
    expect(await last).toMatchObject({ outcome: 'new', workerId: 1 });
  });

  it('reads the registry meanwhile', async () => {
    const values = new HeldKeyValues(true);
    const store = new KeyValueLeaseStore('test namespace', values);
    const call = store.lease(requestOf(1), FAR_DEADLINE);
    await someTurns();
    expect(await store.inspect()).toMatchObject({ rows: [] });
    values.letGo();
    await call;
  });
});

describe('a store of keys and values that was closed', () => {
  it.each([
    ['that was overtaken', false],
    ['that waits for its turn', true],
  ])('begins no attempt for a call %s, which would connect again', async (_, takesTurns) => {
    const values = new HeldKeyValues(takesTurns);
    const store = new KeyValueLeaseStore('test namespace', values);
    values.commit = async () => {
      await values.beforeStep('commit');
      throw new Overtaken();
    };
    const calls = [1, 2].map((holder) => store.lease(requestOf(holder), FAR_DEADLINE));
    const outcomes = Promise.allSettled(calls);
    await someTurns();
    await store.close();
    const { attempts } = values;
    values.letGo();
    const expected = { status: 'rejected', reason: expect.any(StoreUnavailableError) };
    expect(await outcomes).toEqual([expected, expected]);
    expect(values.attempts).toBe(attempts);
  });

  it('serves calls that begin later', async () => {
    const values = new HeldKeyValues(true);
    values.letGo();
    const store = new KeyValueLeaseStore('test namespace', values);
    await store.close();
    expect(await store.lease(requestOf(1), FAR_DEADLINE)).toMatchObject({ outcome: 'new' });
  });
});
