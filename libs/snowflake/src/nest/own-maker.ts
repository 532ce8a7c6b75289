import { Injectable } from '@nestjs/common';
import type { RenewalSchedule } from '../lease/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';
import type { BoundedDrain } from './bounded-drain.js';

/**
 * The maker that a module has made itself, which the module renews and stops. Empty if a test overrides the provider: what it
 * provides instead belongs to the test.
 */
@Injectable()
export class OwnMaker {
  private maker: SnowflakeIdMaker | undefined;
  private drain: BoundedDrain | undefined;

  /** Notes a maker that has started. */
  adopt(maker: SnowflakeIdMaker, drain: BoundedDrain): void {
    this.maker = maker;
    this.drain = drain;
  }

  renewBy(schedule: RenewalSchedule): void {
    this.maker?.setRenewalSchedule(schedule);
  }

  beginDrain(): void {
    this.drain?.begin();
  }

  /** Resolves when the lease is released. */
  async endDrain(): Promise<void> {
    await this.drain?.end();
  }
}
