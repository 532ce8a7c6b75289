import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import type { SnowflakeStatus } from '../maker/snowflake-status.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { WaitProgress } from './wait-progress.js';

describe('WaitProgress', () => {
  let clock: VirtualClock;
  let lines: string[];
  let lastError: StoreUnavailableError | undefined;
  let progress: WaitProgress;

  beforeEach(() => {
    clock = new VirtualClock();
    lines = [];
    lastError = undefined;
    const maker = { status: () => ({ store: 'redis namespace "shop"', lastError }) as SnowflakeStatus };
    progress = new WaitProgress(maker, clock, (text) => lines.push(text));
    progress.follow({ type: 'state', from: 'idle', to: 'acquiring' });
  });

  it('reports every ten seconds how long the wait has lasted and how long it can still last', async () => {
    await clock.advance(2000);
    progress.follow({ type: 'waiting', reason: 'empty', waitMs: 25_000 });
    await clock.advance(7900);
    expect(lines).toEqual([]);
    await clock.advance(22_000);
    expect(lines).toEqual([
      expect.stringMatching(/for 10 s\. Up to 17 s are left/),
      expect.stringMatching(/for 20 s\. Up to 7 s are left/),
      expect.stringMatching(/for 30 s\.$/),
    ]);
  });

  it('reports why the last call failed', async () => {
    lastError = new StoreUnavailableError('redis namespace "shop" is unavailable: ECONNREFUSED');
    await clock.advance(10_000);
    expect(lines).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });

  it.each(['active', 'stopped'] as const)('ends when the state is %s', async (to) => {
    progress.follow({ type: 'state', from: 'acquiring', to });
    await clock.advance(60_000);
    expect(lines).toEqual([]);
  });
});
