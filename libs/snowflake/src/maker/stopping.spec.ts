import { StoppedError } from '../core/errors/issuing-errors.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const SECOND_MS = 1000;

/** A store that is open only when the test lets it be, and that notes what it is called for. */
class SlowToOpen implements LeaseStore {
  readonly description = 'slow store';
  readonly renewable = true;
  readonly calls: string[] = [];
  letOpen: () => void = () => undefined;
  failToOpen: () => void = () => undefined;
  private readonly inner: LeaseStore;

  constructor(clock: VirtualClock) {
    this.inner = memoryLeaseStore({ clock });
  }

  async open(): Promise<void> {
    this.calls.push('open');
    await new Promise<void>((resolve, reject) => {
      this.letOpen = resolve;
      this.failToOpen = () => reject(new Error('no such folder'));
    });
    this.calls.push('opened');
  }
  async close(): Promise<void> {
    this.calls.push('close');
  }
  lease: LeaseStore['lease'] = (request) => this.inner.lease(request);
  release: LeaseStore['release'] = (request) => this.inner.release(request);
  inspect = () => this.inner.inspect();
}

/** A maker that has stopped while its store was being opened. */
async function stoppedTooEarly() {
  const clock = new VirtualClock();
  const store = new SlowToOpen(clock);
  const maker = new SnowflakeIdMaker({ store }, { clock });
  const warnings: string[] = [];
  maker.subscribe((event) => event.type === 'warning' && warnings.push(event.message));
  let startError: unknown;
  maker.start().catch((error: unknown) => (startError = error));
  await clock.advance(0);
  let hasStopped = false;
  void maker.stop().then(() => (hasStopped = true));
  await clock.advance(0);
  expect(hasStopped).toBe(true);
  return { clock, store, maker, startError, warnings };
}

describe('a maker that stops while its store is being opened', () => {
  it('stops without waiting for a store that opens, says why it did not start, and closes it when it is open', async () => {
    const { clock, store, maker, startError, warnings } = await stoppedTooEarly();
    expect(maker.status().state).toBe('stopped');
    expect(startError).toBeInstanceOf(StoppedError);
    expect(startError).toMatchObject({
      message: expect.stringContaining('slow store was still opening'),
    });
    expect(warnings).toEqual([expect.stringMatching(/^slow store was still opening/)]);
    expect(store.calls).toEqual(['open']);
    store.letOpen();
    await clock.advance(0);
    expect(store.calls).toEqual(['open', 'opened', 'close']);
  });

  it('closes a store that could not be opened, and warns of it', async () => {
    const { clock, store, warnings } = await stoppedTooEarly();
    store.failToOpen();
    await clock.advance(0);
    expect(store.calls).toEqual(['open', 'close']);
    expect(warnings.slice(1)).toEqual([
      'slow store failed to open after the ID maker had stopped: no such folder',
    ]);
  });

  it('keeps a store that is still opening from other makers', async () => {
    const { clock, store } = await stoppedTooEarly();
    await expect(new SnowflakeIdMaker({ store }, { clock }).start()).rejects.toThrow(
      /^store is in use by another ID maker/,
    );
    store.letOpen();
    await clock.advance(0);

    const next = new SnowflakeIdMaker({ store }, { clock });
    const started = next.start();
    await clock.advance(0);
    store.letOpen();
    await clock.advance(10 * SECOND_MS);
    await atOnce(started);
    expect(next.nextId()).toMatch(/^\d+$/);
    await atOnce(next.stop());
  });
});

describe('a maker that is declared with await using', () => {
  it('stops a maker at the end of its block, and gives its worker ID back', async () => {
    const store = memoryLeaseStore();
    let used: SnowflakeIdMaker;
    {
      await using ids = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
      await atOnce(ids.start());
      ids.nextId();
      used = ids;
    }
    expect(used.status().state).toBe('stopped');
    expect((await store.inspect()).rows).toEqual([expect.objectContaining({ fencingToken: '' })]);
  });
});
