import { BitLayout } from '../core/layout/bit-layout.js';
import { IdGenerator } from '../core/generator/generator.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { keeperSettings } from './keeper-settings.js';
import { LeaseKeeper } from './lease-keeper.js';
import { type RenewalSchedule, TimerSchedule, WatchedSchedule } from './renewal-schedule.js';
import { atOnce } from '../../../../test/support/at-once.js';

const EVERY_MS = 1000;
const PATIENCE_MS = 50;

/** A schedule that somebody silences behind the back of its user. */
class ForeignSchedule extends TimerSchedule {
  silence(): void {
    super.stop();
  }
}

interface World {
  readonly clock: VirtualClock;
  readonly foreign: ForeignSchedule;
  readonly callsAtMs: number[];
  readonly schedule: RenewalSchedule;
}

function started(): World {
  const clock = new VirtualClock(0);
  const foreign = new ForeignSchedule(clock);
  const schedule = new WatchedSchedule(foreign, PATIENCE_MS, clock);
  const callsAtMs: number[] = [];
  schedule.start(EVERY_MS, () => callsAtMs.push(clock.now()));
  return { clock, foreign, callsAtMs, schedule };
}

describe('WatchedSchedule', () => {
  it('leaves the calls to the schedule that it watches', async () => {
    const { clock, callsAtMs } = started();
    await clock.advance(3000);
    expect(callsAtMs).toEqual([1000, 2000, 3000]);
  });

  it('calls in its place once it is silent, and no more when it calls again', async () => {
    const { clock, foreign, callsAtMs, schedule } = started();
    await clock.advance(1000);
    foreign.silence();
    await clock.advance(3500);
    expect(callsAtMs).toEqual([1000, 2050, 3050, 4050]);
    schedule.start(EVERY_MS, () => callsAtMs.push(clock.now()));
    await clock.advance(2000);
    expect(callsAtMs.slice(4)).toEqual([5500, 6500]);
  });

  it('stops permanently, also as a replacement', async () => {
    for (const silentMs of [0, 5000]) {
      const { clock, foreign, callsAtMs, schedule } = started();
      if (silentMs > 0) foreign.silence();
      await clock.advance(silentMs);
      const before = callsAtMs.length;
      schedule.stop();
      await clock.advance(60_000);
      expect(callsAtMs).toHaveLength(before);
    }
  });

  it('stops even if the schedule that it watches keeps calling', async () => {
    const clock = new VirtualClock(0);
    let call = (): void => undefined;
    const foreign = { start: (_: number, task: () => void) => void (call = task), stop: () => undefined };
    const schedule = new WatchedSchedule(foreign, PATIENCE_MS, clock);
    let calls = 0;
    schedule.start(EVERY_MS, () => void (calls += 1));
    schedule.stop();
    call();
    await clock.advance(60_000);
    expect(calls).toBe(0);
  });
});

/** Accepted, with hardly any time to spare. */
const TIGHT = { windowMs: 3000, renewEveryMs: 2000, callTimeoutMs: 50, maxSkewMs: 100, reserveMs: 100 };

describe('a lease with little time to spare [promise: fail-closed]', () => {
  it.each<[string, number]>([
    ['shortest', 0],
    ['ordinary', 0.5],
    ['longest', 0.999],
  ])('renews in time when the schedule falls silent, with the %s interval', async (_, random) => {
    const clock = new VirtualClock();
    const layout = new BitLayout();
    let made = 0;
    const keeper = new LeaseKeeper(
      memoryLeaseStore({ clock }),
      new IdGenerator(layout, clock),
      keeperSettings(layout, { ...TIGHT, possibleLoss: 'ignore' }),
      { clock, random: () => random, nonce: () => String(made++).padStart(16, '0'), holderName: 'test' },
    );
    const states: string[] = [];
    keeper.subscribe((event) => event.type === 'state' && states.push(event.to));
    const foreign = new ForeignSchedule(clock);
    keeper.setRenewalSchedule(foreign);
    await atOnce(keeper.start());
    await clock.advance(keeper.renewEveryMs);
    foreign.silence();
    for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 50) {
      await clock.advance(50);
      expect(keeper.state).toBe('active');
    }
    expect(states).toEqual(['acquiring', 'active']);
    await atOnce(keeper.stop());
  });
});
