import { StoppedError } from '../core/index.js';
import type { LeaseStore } from '../lease/index.js';
import { memoryLeaseStore } from '../stores/memory/index.js';
import { VirtualClock } from '../testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

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
  const start = maker.start();
  start.catch(() => undefined);
  await clock.advance(0);
  let hasStopped = false;
  void maker.stop().then(() => (hasStopped = true));
  await clock.advance(SECOND_MS);
  expect(hasStopped).toBe(true);
  return { clock, store, maker, start };
}

describe('a maker that stops while its store is being opened', () => {
  it('does not wait for it, and has it closed when it is open', async () => {
    const { store, maker, start } = await stoppedTooEarly();
    expect(maker.status().state).toBe('stopped');
    store.letOpen();
    await expect(start).rejects.toThrow(StoppedError);
    expect(store.calls).toEqual(['open', 'opened', 'close']);
  });

  it('has it closed when it could not be opened', async () => {
    const { store, start } = await stoppedTooEarly();
    store.failToOpen();
    await expect(start).rejects.toThrow('no such folder');
    expect(store.calls).toEqual(['open', 'close']);
  });

  it('keeps it from other makers until then', async () => {
    const { clock, store, start } = await stoppedTooEarly();
    await expect(new SnowflakeIdMaker({ store }, { clock }).start()).rejects.toThrow(
      /^store is used by another ID maker already/,
    );
    store.letOpen();
    await expect(start).rejects.toThrow(StoppedError);

    const next = new SnowflakeIdMaker({ store }, { clock });
    const started = next.start();
    await clock.advance(0);
    store.letOpen();
    await clock.advance(10 * SECOND_MS);
    await started;
    expect(next.nextId()).toMatch(/^\d+$/);
    await next.stop();
  });
});
