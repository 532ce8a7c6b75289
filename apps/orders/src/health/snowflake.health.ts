import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { SnowflakeIdMaker } from 'nestjs-snowflake';

/** Reports whether IDs can be made: `degraded` while the lease store is unreachable and the held window lasts. */
@Injectable()
export class SnowflakeHealthIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly ids: SnowflakeIdMaker,
  ) {}

  check(key: string): HealthIndicatorResult {
    const { state, store, workerId, leaseUntil, lastError } = this.ids.status();
    const indicator = this.indicators.check(key);
    const details = { state, store, workerId, leaseUntil, lastError: lastError?.code };
    if (!this.ids.canIssue) return indicator.down(details);
    return state === 'active' ? indicator.up(details) : indicator.degraded(details);
  }
}
