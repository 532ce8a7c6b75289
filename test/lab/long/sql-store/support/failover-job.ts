import type { DataSourceOptions } from 'typeorm';

/** What a process does that lives through a failover. */
export interface FailoverJob {
  readonly dataSource: DataSourceOptions;
  /** Where the IDs are appended, eight bytes each. */
  readonly idsFile: string;
  /** Disables the detection of lost commits. */
  readonly assumeNoLostWrites: boolean;
  readonly possibleLoss: 'wait' | 'ignore';
  readonly lease: Readonly<Record<string, number>>;
}
