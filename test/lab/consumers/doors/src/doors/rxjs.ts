import { type LeaseEvent, SnowflakeIdMaker } from 'nestjs-snowflake';
import { leaseEvents } from 'nestjs-snowflake/rxjs';
import { map } from 'rxjs';
import type { DoorUse } from '../door-use.js';

export const rxjs: DoorUse = {
  async use(app) {
    const heard: (LeaseEvent['type'] | 'complete')[] = [];
    const types = leaseEvents(app.get(SnowflakeIdMaker)).pipe(map(({ type }) => type));
    types.subscribe({ next: (type) => heard.push(type), complete: () => heard.push('complete') });
    return () => heard;
  },
};
