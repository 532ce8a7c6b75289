import { registryOverview, type WorkerState } from '../../lease/registry-overview.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';

/** How many worker IDs of a namespace are in each state, and how many processes wait for one. */
export interface RegistryCounts {
  /** `unused`: the worker ID has never been held. All together are as many as the layout has. */
  readonly workerIds: Readonly<Record<WorkerState | 'unused', number>>;
  /** Absent if the store can't tell. */
  readonly waiting?: number;
}

const READ_EVERY_MS = 60_000;

/**
 * Counts the rows of a registry, at most once a minute and only while somebody asks. It answers at once with what it has read before:
 * a store that hangs must not keep the other metrics from being collected.
 */
export class RegistryCount {
  private counts: RegistryCounts | undefined;
  private beganMs = -Infinity;
  private isReading = false;

  constructor(private readonly maker: Pick<SnowflakeIdMaker, 'inspect'>) {}

  /** Returns the last counts; none before the first ones, and if the registry could not be read. */
  latest(nowMs: number): RegistryCounts | undefined {
    // The clock can step back.
    const isDue = Math.abs(nowMs - this.beganMs) >= READ_EVERY_MS;
    if (isDue && !this.isReading) {
      this.beganMs = nowMs;
      void this.read();
    }
    return this.counts;
  }

  /** Never rejects. */
  private async read(): Promise<void> {
    this.isReading = true;
    try {
      const { total, used, counts, waiting } = registryOverview(await this.maker.inspect());
      this.counts =
        total === undefined ? undefined : { workerIds: { ...counts, unused: total - used }, waiting };
    } catch {
      // The lease and its metrics show what the store refuses.
      this.counts = undefined;
    }
    this.isReading = false;
  }
}
