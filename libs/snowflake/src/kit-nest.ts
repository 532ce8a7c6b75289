/**
 * What the Nest modules of this project share. It is not API and has no semver: any release can change it.
 *
 * @module
 */
export { BootModule } from './kit/nest/boot.module.js';
export { Boot } from './kit/nest/boot.js';
export type { DeferredOptions } from './kit/nest/deferred-options.js';
export {
  type Feature,
  type FeatureModule,
  featureModule,
  withoutOptions,
} from './kit/nest/feature-module.js';
export { hasSource } from './kit/nest/registration-checks.js';
