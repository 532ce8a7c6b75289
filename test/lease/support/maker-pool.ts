import { SnowflakeIdMaker, type SnowflakeOptions, type SnowflakeDependencies } from 'nestjs-snowflake';

/** The ID makers of a spec: whatever happens in it, none is left behind. */
export class MakerPool {
  private readonly makers = new Set<SnowflakeIdMaker>();

  make(options: SnowflakeOptions, dependencies?: SnowflakeDependencies): SnowflakeIdMaker {
    const maker = new SnowflakeIdMaker(options, dependencies);
    this.makers.add(maker);
    return maker;
  }

  async start(options: SnowflakeOptions, dependencies?: SnowflakeDependencies): Promise<SnowflakeIdMaker> {
    const maker = this.make(options, dependencies);
    await maker.start();
    return maker;
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
