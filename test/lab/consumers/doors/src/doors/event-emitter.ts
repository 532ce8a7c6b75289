import { Injectable } from '@nestjs/common';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import {
  SnowflakeEventEmitterModule,
  type SnowflakeEventName,
  type SnowflakeEvents,
} from 'nestjs-snowflake/event-emitter';
import type { DoorUse } from '../door-use.js';

@Injectable()
class LeaseLog {
  readonly heard: string[] = [];

  @OnEvent('snowflake.acquired' satisfies SnowflakeEventName)
  acquired({ instance, cause }: SnowflakeEvents['snowflake.acquired']): void {
    this.heard.push(`${instance}: ${cause}`);
  }

  @OnEvent('snowflake.released' satisfies SnowflakeEventName)
  released({ type }: SnowflakeEvents['snowflake.released']): void {
    this.heard.push(type);
  }
}

export const eventEmitter: DoorUse = {
  imports: [EventEmitterModule.forRoot(), SnowflakeEventEmitterModule],
  providers: [LeaseLog],
  async use(app) {
    const log = app.get(LeaseLog);
    return () => log.heard;
  },
};
