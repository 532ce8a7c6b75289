import { type SnowflakeModuleOptions, staticLeaseStore } from 'nestjs-snowflake';

export const snowflakeOptions = (): SnowflakeModuleOptions => ({
  store: staticLeaseStore({ workerId: 9 }),
  drainTimeoutMs: 5000,
});
