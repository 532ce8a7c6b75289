import type { SnowflakeIdMaker } from 'nestjs-snowflake';
import { waitFor } from '../../support/wait.js';

const TIMEOUT_MS = 60_000;

/** Counts the renewals of a maker. */
export class Renewals {
  count = 0;

  constructor(maker: SnowflakeIdMaker) {
    maker.subscribe(({ type }) => {
      if (type === 'renewed') this.count++;
    });
  }

  /** Waits for so many renewals from now on. */
  async more(wanted: number): Promise<void> {
    const target = this.count + wanted;
    await waitFor(`${wanted} renewals`, TIMEOUT_MS, () => this.count >= target);
  }
}
