/**
 * What the Nest modules of this project share. It is not API and has no semver: any release can change it.
 *
 * @module
 */
export { AppDatabases } from './kit/nest/app-databases.js';
export { Boot } from './kit/nest/boot.js';
export { BootModule } from './kit/nest/boot.module.js';
export { DRAIN_TIMEOUT_MS } from './kit/nest/bounded-drain.js';
export type { DeferredOptions } from './kit/nest/deferred-options.js';
export {
  type Feature,
  featureModule,
  type FeatureModule,
  withoutOptions,
} from './kit/nest/feature-module.js';
export { Lifecycle } from './kit/nest/lifecycle.js';
export { LogLine } from './kit/nest/log-line.js';
export { optionalProvider } from './kit/nest/optional-provider.js';
export { providersIn } from './kit/nest/providers.js';
export { hasSource } from './kit/nest/registration-checks.js';
