import type { LeaseEvent } from '../lease/lease-event.js';
import type { RenewalSchedule } from '../lease/renewal-schedule.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import { atOnce } from '../../../../test/support/at-once.js';

const MINUTE_MS = 60_000;

function world() {
  const clock = new VirtualClock();
  const maker = new SnowflakeIdMaker({ store: memoryLeaseStore({ clock }) }, { clock });
  const renewed: LeaseEvent[] = [];
  maker.subscribe((event) => event.type === 'renewed' && renewed.push(event));
  return { clock, maker, renewed };
}

describe('setRenewalSchedule', () => {
  it.each([null, 5, 'hourly', {}, { start: () => undefined }, { stop: () => undefined }, () => undefined])(
    'refuses the schedule %p, and the maker starts, renews and stops as before',
    async (schedule) => {
      const { clock, maker, renewed } = world();
      expect(() => maker.setRenewalSchedule(schedule as unknown as RenewalSchedule)).toThrow(
        expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'schedule' }),
      );
      await atOnce(maker.start());
      await clock.advance(2 * MINUTE_MS);
      expect(renewed.length).toBeGreaterThan(0);
      await atOnce(maker.stop());
      expect(maker.status().state).toBe('stopped');
    },
  );

  it('takes a schedule, and lets it go for timers of its own', async () => {
    const { clock, maker, renewed } = world();
    const calls: string[] = [];
    maker.setRenewalSchedule({ start: () => calls.push('start'), stop: () => calls.push('stop') });
    await atOnce(maker.start());
    expect(calls).toEqual(['start']);
    maker.setRenewalSchedule();
    expect(calls).toEqual(['start', 'stop']);
    await clock.advance(MINUTE_MS);
    expect(renewed.length).toBeGreaterThan(0);
    await atOnce(maker.stop());
  });
});
