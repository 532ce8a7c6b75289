export { sanitizedHolderName, keeperSettings, LEASE_OPTIONS } from './keeper-settings.js';
export type { KeeperEnvironment, KeeperSettings, LeaseOptions } from './keeper-settings.js';
export type { LeaseEvent, LeaseListener, LeaseState } from './lease-event.js';
export { LeaseKeeper } from './lease-keeper.js';
export type * from './lease-store.js';
export type { LeaseTiming, LeaseTimingOptions, PossibleLossPolicy } from './lease-timing.js';
export {
  isEmptyRegistry,
  registryOverview,
  type RegistryOverview,
  type WorkerOverview,
  type WorkerState,
} from './registry-overview.js';
export { TimerSchedule, type RenewalSchedule } from './renewal-schedule.js';
export { asSnowflakeError } from './store-caller.js';
