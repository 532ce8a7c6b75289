import { setTimeout as delay } from 'node:timers/promises';
import { SchedulerRegistry } from '@nestjs/schedule';
import { RegistrySchedule } from './registry-schedule.js';

const NAME = 'snowflake:lease:default';
const PATIENCE_TURNS = 10_000;

describe('RegistrySchedule', () => {
  it('calls by the interval that the app sees, and by nothing else', async () => {
    const registry = new SchedulerRegistry();
    const schedule = new RegistrySchedule(registry, NAME);
    const calls: string[] = [];
    schedule.start(1, () => calls.push('call'));
    for (let turn = 0; calls.length < 3 && turn < PATIENCE_TURNS; turn++) await delay(1);
    expect(calls.length).toBeGreaterThanOrEqual(3);

    registry.deleteInterval(NAME);
    const before = calls.length;
    for (let turn = 0; turn < 10; turn++) await delay(1);
    expect(calls).toHaveLength(before);
    schedule.stop();
  });

  it('starts anew, and stops, whether or not the app has taken its interval away', () => {
    const registry = new SchedulerRegistry();
    const schedule = new RegistrySchedule(registry, NAME);
    const start = (): void => schedule.start(1000, () => undefined);
    start();
    start();
    expect(registry.getIntervals()).toEqual([NAME]);
    registry.deleteInterval(NAME);
    start();
    expect(registry.getIntervals()).toEqual([NAME]);
    schedule.stop();
    schedule.stop();
    expect(registry.getIntervals()).toEqual([]);
  });
});
