import {
  type SnowflakeDependencies,
  SnowflakeIdMaker,
  type SnowflakeOptions,
} from 'nestjs-snowflake/standalone';
import { SteppedClock } from './stepped-clock.js';

/** The ID makers of a spec: whatever happens in it, none is left behind. */
export class MakerPool {
  private readonly makers = new Set<SnowflakeIdMaker>();
  private readonly clocks = new WeakMap<SnowflakeIdMaker, SteppedClock>();

  make(options: SnowflakeOptions, dependencies?: SnowflakeDependencies): SnowflakeIdMaker {
    const clock = new SteppedClock();
    const maker = new SnowflakeIdMaker(options, { clock, ...dependencies });
    this.makers.add(maker);
    this.clocks.set(maker, clock);
    return maker;
  }

  async start(options: SnowflakeOptions, dependencies?: SnowflakeDependencies): Promise<SnowflakeIdMaker> {
    const maker = this.make(options, dependencies);
    await maker.start();
    return maker;
  }

  /** Stops a maker whose worker ID must be released, however long that takes. It has the clock of this pool. */
  async release(maker: SnowflakeIdMaker): Promise<void> {
    this.clocks.get(maker)?.slowTimers();
    await maker.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.makers].map((maker) => maker.stop()));
    this.makers.clear();
  }
}

/** The worker ID of a maker that holds one. */
export function workerIdOf(maker: SnowflakeIdMaker): number {
  const { workerId } = maker.status();
  if (workerId === undefined) throw new Error('No worker ID is held');
  return workerId;
}
