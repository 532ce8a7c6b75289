import { EventLoop } from './event-loop.js';
import { START_MS, World } from './world.js';

describe('the event loop of a simulated process', () => {
  it('goes on with its timers when the host wakes up, however often it was sent to sleep meanwhile', async () => {
    const world = new World(1);
    const loop = new EventLoop(world, { errorMs: 0 });
    const firedMs: number[] = [];
    loop.clock.schedule(10, () => firedMs.push(world.nowMs - START_MS));
    loop.suspend(100);
    await world.runUntil(START_MS + 20);
    loop.suspend(50);
    await world.runUntil(START_MS + 90);
    loop.suspend(30);
    await world.runUntil(START_MS + 1000);
    expect(firedMs).toEqual([130]);
  });
});
