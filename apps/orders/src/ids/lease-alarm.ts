import { Injectable, Logger } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';

/** Where an app tells the people on duty that its requests fail. This one only logs. */
@Injectable()
export class LeaseAlarm {
  private readonly logger = new Logger(LeaseAlarm.name);

  constructor(ids: SnowflakeIdMaker) {
    ids.subscribe((event) => {
      if (event.type !== 'state') return;
      if (event.to === 'exhausted')
        this.logger.error('No IDs can be made: orders are refused until the lease store is back');
      if (event.from === 'exhausted' && event.to === 'active') this.logger.log('IDs can be made again');
    });
  }
}
