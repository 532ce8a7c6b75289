import { VirtualClock } from '../testing/virtual-clock.js';
import { type RenewalSchedule, TimerSchedule, WatchedSchedule } from './renewal-schedule.js';

const EVERY_MS = 1000;

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
  const schedule = new WatchedSchedule(foreign, clock);
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
    expect(callsAtMs).toEqual([1000, 2500, 3500, 4500]);
    schedule.start(EVERY_MS, () => callsAtMs.push(clock.now()));
    await clock.advance(2000);
    expect(callsAtMs.slice(4)).toEqual([5500, 6500]);
  });

  it('stops for good, also when it stands in', async () => {
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
});
