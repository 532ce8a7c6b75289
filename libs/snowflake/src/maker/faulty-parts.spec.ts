import type { LeaseStore } from '../lease/lease-store.js';
import type { RenewalSchedule } from '../lease/renewal-schedule.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const MINUTE_MS = 60_000;
const lease = { possibleLoss: 'ignore' as const };

/** A maker of a store that one maker has at a time, and what its listeners are told. */
function world(close: () => Promise<void> = async () => undefined) {
  const clock = new VirtualClock();
  const inner = memoryLeaseStore({ clock });
  const store: LeaseStore = {
    description: 'test store',
    renewable: true,
    open: () => undefined,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close,
  };
  const maker = new SnowflakeIdMaker({ store, lease }, { clock });
  const warnings: string[] = [];
  let renewals = 0;
  maker.subscribe((event) => {
    if (event.type === 'warning') warnings.push(event.message);
    if (event.type === 'renewed') renewals += 1;
  });
  return { clock, store, maker, warnings, renewals: () => renewals };
}

const unstoppable: RenewalSchedule = {
  start: () => undefined,
  stop: () => {
    throw new Error('no such job');
  },
};

async function expectStopped({ clock, store, maker }: ReturnType<typeof world>): Promise<void> {
  expect(maker.status().state).toBe('stopped');
  expect(() => maker.nextId()).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
  const { rows } = await store.inspect();
  expect(rows.map(({ fencingToken }) => fencingToken)).toEqual(['']);
  const next = new SnowflakeIdMaker({ store, lease }, { clock });
  await atOnce(next.start());
  await atOnce(next.stop());
}

describe('a schedule that cannot be stopped', () => {
  it('keeps no maker from stopping, and is reported', async () => {
    const ours = world();
    const { maker, warnings } = ours;
    maker.setRenewalSchedule(unstoppable);
    await atOnce(maker.start());
    await atOnce(maker.stop());
    await expectStopped(ours);
    expect(warnings).toEqual(['The renewal schedule could not be stopped: no such job']);
  });

  it('replaces a faulty schedule all the same', async () => {
    const { clock, maker, warnings, renewals } = world();
    maker.setRenewalSchedule(unstoppable);
    await atOnce(maker.start());
    maker.setRenewalSchedule();
    expect(warnings).toEqual(['The renewal schedule could not be stopped: no such job']);
    await clock.advance(MINUTE_MS);
    expect(renewals()).toBeGreaterThan(0);
    await atOnce(maker.stop());
  });
});

describe('a store that cannot be closed', () => {
  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(new Error('broken pipe'))],
    [
      'throws',
      () => {
        throw new Error('broken pipe');
      },
    ],
  ])('keeps no maker from stopping, is reported, and is free for the next: %s', async (_, close) => {
    const ours = world(close);
    await atOnce(ours.maker.start());
    await atOnce(ours.maker.stop());
    await expectStopped(ours);
    expect(ours.warnings).toEqual(['test store could not be closed: broken pipe']);
  });

  it('shows why a start failed, although another part fails as well', async () => {
    const { clock, store, maker } = world(() => Promise.reject(new Error('broken pipe')));
    await atOnce(maker.start());
    await atOnce(maker.stop());
    const other = new SnowflakeIdMaker(
      { store: { ...store, lease: () => Promise.reject(new TypeError('no lease')) }, lease },
      { clock },
    );
    const failed = expect(other.start()).rejects.toThrow(/no lease/);
    await clock.advance(2 * MINUTE_MS);
    await failed;
  });
});
