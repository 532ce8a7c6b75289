import { Logger } from '@nestjs/common';
import {
  type LeaseEvent,
  type LeaseListener,
  memoryLeaseStore,
  SnowflakeIdMaker,
  type SnowflakeStatus,
} from 'nestjs-snowflake';
import { LeaseLogger } from '../../libs/snowflake/src/nest/lease-logger.js';
import { CapturedLogs } from '../nest/support/captured-logs.js';

/** What a maker says of itself while its events are logged. */
interface Shown {
  readonly status?: Partial<SnowflakeStatus>;
  readonly nowMs?: number;
}

/** The lines that the Nest module logs for each event of an instance, such as `warn: [SnowflakeModule] …`. */
export function loggedLines(
  instance: string,
  events: readonly LeaseEvent[],
  { status, nowMs }: Shown = {},
): string[][] {
  const logs = new CapturedLogs();
  let notify: LeaseListener = () => undefined;
  const maker = new SnowflakeIdMaker({ store: memoryLeaseStore() });
  const subscribed = {
    layout: maker.layout,
    status: () => ({ ...maker.status(), ...status }),
    nowMs: () => nowMs ?? maker.nowMs(),
    subscribe: (listener: LeaseListener) => (notify = listener),
  };
  Logger.overrideLogger(logs);
  new LeaseLogger(instance, subscribed as unknown as SnowflakeIdMaker).start();
  const lines = events.map((event) => {
    const { length: before } = logs.lines;
    notify(event);
    return logs.lines.slice(before);
  });
  Logger.overrideLogger(['error']);
  return lines;
}
