export { SnowflakeEventEmitterModule } from './snowflake-event-emitter.module.js';
export type { SnowflakeEventName, SnowflakeEvents } from './snowflake-events.js';
