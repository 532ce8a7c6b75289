import { Injectable, Logger } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import type { SnowflakeEventName, SnowflakeEvents } from 'nestjs-snowflake/event-emitter';

/** Where an app tells the people on duty that its requests fail. This one only logs. */
@Injectable()
export class LeaseAlarm {
  private readonly logger = new Logger(LeaseAlarm.name);

  @OnEvent('snowflake.state' satisfies SnowflakeEventName)
  watch({ from, to }: SnowflakeEvents['snowflake.state']): void {
    if (to === 'exhausted')
      this.logger.error('No IDs can be made: orders are refused until the lease store is back');
    if (from === 'exhausted' && to === 'active') this.logger.log('IDs can be made again');
  }
}
