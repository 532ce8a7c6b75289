import { StoppedError } from '../../core/errors/issuing-errors.js';
import type { LeaseEvent } from '../../lease/lease-event.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { memoryLeaseStore } from '../../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { BoundedDrain } from './bounded-drain.js';
import { atOnce } from '../../../../../test/support/at-once.js';

const TIMEOUT_MS = 10_000;
const SECOND_MS = 1_000;
const ENDING = 'Issuing stops and the lease is released.';

/** A maker that holds a lease, and the bound of its shutdown. */
async function held() {
  const clock = new VirtualClock();
  const store = memoryLeaseStore({ clock });
  const maker = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } }, { clock });
  const started = maker.start();
  await clock.advance(SECOND_MS);
  await atOnce(started);
  const events: LeaseEvent['type'][] = [];
  maker.subscribe(({ type }) => events.push(type));
  const warnings: string[] = [];
  const drain = new BoundedDrain(maker, TIMEOUT_MS, clock, (message) => warnings.push(message), ENDING);
  return { clock, maker, drain, events, warnings };
}

describe('the bound of a shutdown', () => {
  it('lets the app make IDs until it has passed, and then stops issuing and releases the lease', async () => {
    const { clock, maker, drain, events, warnings } = await held();
    drain.begin();
    await clock.advance(TIMEOUT_MS - 1);
    expect(maker.nextId()).toMatch(/^\d+$/);
    expect(events).not.toContain('released');

    await clock.advance(SECOND_MS);
    expect(events).toContain('released');
    expect(() => maker.nextId()).toThrow(StoppedError);
    expect(warnings).toEqual([
      'The app has not shut down within drainTimeoutMs (10000 ms). Issuing stops and the lease is released. ' +
        'Look for open connections and hanging requests.',
    ]);
  });

  it('stops at once when the requests have drained before', async () => {
    const { clock, maker, drain, events, warnings } = await held();
    drain.begin();
    const ended = drain.end();
    await clock.advance(SECOND_MS);
    await atOnce(ended);
    expect(() => maker.nextId()).toThrow(StoppedError);
    await clock.advance(2 * TIMEOUT_MS);
    expect(events.filter((type) => type === 'released')).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('counts from the first of several beginnings, and not again after the end', async () => {
    const { clock, drain, events, warnings } = await held();
    drain.begin();
    await clock.advance(TIMEOUT_MS / 2);
    drain.begin();
    await clock.advance(TIMEOUT_MS / 2 + SECOND_MS);
    expect(events).toContain('released');
    await Promise.all([drain.end(), drain.end()]);
    drain.begin();
    await clock.advance(2 * TIMEOUT_MS);
    expect(events.filter((type) => type === 'released')).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  });

  // Control: what happens when nothing tells the bound that the shutdown begins.
  it('lets the maker renew on and on without the bound (control)', async () => {
    const { clock, maker, events } = await held();
    await clock.advance(10 * TIMEOUT_MS);
    expect(events).toContain('renewed');
    expect(events).not.toContain('released');
    expect(maker.nextId()).toMatch(/^\d+$/);
  });
});
