import { Injectable } from '@nestjs/common';
import { Lifecycle } from '../kit/nest/lifecycle.js';
import type { RenewalSchedule } from '../lease/renewal-schedule.js';
import type { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';

/** The maker that a SnowflakeModule has made itself, which the module renews and stops. */
@Injectable()
export class MakerLifecycle extends Lifecycle<SnowflakeIdMaker> {
  renewBy(schedule: RenewalSchedule): void {
    this.made?.setRenewalSchedule(schedule);
  }
}
