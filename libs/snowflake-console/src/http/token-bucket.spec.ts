import { VirtualClock } from '../../../snowflake/src/store-testing/virtual-clock.js';
import { TokenBucket } from './token-bucket.js';

describe('a token bucket', () => {
  it('lets a minute of requests through at once, and says how long the next one waits', () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(3, clock);
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 0, 20_000]);
    clock.step(19_999);
    expect(bucket.take()).toBe(1);
    clock.step(1);
    expect(bucket.take()).toBe(0);
  });

  it('never holds more than a minute of requests', () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(2, clock);
    clock.step(3_600_000);
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 30_000]);
  });

  it('neither fills nor empties when the clock steps back', () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(2, clock);
    bucket.take();
    clock.step(-3_600_000);
    expect([bucket.take(), bucket.take()]).toEqual([0, 30_000]);
  });
});
