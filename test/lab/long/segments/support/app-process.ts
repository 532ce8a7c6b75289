import { Segments, sqlSegmentStore, type SqlSegmentStoreOptions } from 'nestjs-snowflake-segments';
import type { DataSourceOptions } from 'typeorm';

export const STEP = 1000;

/** A process of an app, which stores each number that it issues. */
export class AppProcess {
  private static readonly running = new Set<AppProcess>();
  readonly segments: Segments;
  readonly issued: number[] = [];

  constructor(dataSource: DataSourceOptions, options: Partial<SqlSegmentStoreOptions> = {}) {
    this.segments = new Segments({
      store: sqlSegmentStore({ dataSource, createTable: true, ...options }),
      tags: ['order'],
      step: STEP,
      callTimeoutMs: 10_000,
      readyTimeoutMs: 60_000,
      stopTimeoutMs: 0,
    });
    AppProcess.running.add(this);
  }

  static async started(...given: ConstructorParameters<typeof AppProcess>): Promise<AppProcess> {
    const process = new AppProcess(...given);
    await process.segments.start();
    return process;
  }

  /** Crashes all that run. */
  static async crashAll(): Promise<void> {
    await Promise.all([...AppProcess.running].map((each) => each.crash()));
  }

  get highest(): number {
    return this.segments.source('order').status().highest ?? 0;
  }

  async issue(count: number): Promise<void> {
    await this.segments.source('order').ready(count);
    this.issued.push(...this.segments.source('order').nextMany(count));
  }

  /** Issues all that is at hand. */
  issueHeld(): void {
    const source = this.segments.source('order');
    this.issued.push(...source.nextMany(source.status().left));
  }

  /** Ends without giving anything back. */
  async crash(): Promise<void> {
    AppProcess.running.delete(this);
    await this.segments.stop();
  }
}

export function highestOf(processes: readonly AppProcess[]): number {
  return Math.max(...processes.flatMap(({ issued, highest }) => [...issued, highest]));
}

export function duplicatesIn(processes: readonly AppProcess[]): number {
  const numbers = processes.flatMap(({ issued }) => issued);
  return numbers.length - new Set(numbers).size;
}
