// For nestjs-snowflake-cli: what `nest add nestjs-snowflake` does, without the schematics.
export { type AppFiles, NO_SOURCES } from './setup/app-files.js';
export { type Compiler, usableCompiler } from './setup/compiler.js';
export {
  checkedNamespace,
  type Decisions,
  type SetupRequest,
  type StoreName,
  STORES,
} from './setup/settings.js';
export { planSetup, setupDefaults } from './setup/setup.js';
export type { FileChange, SetupByHand, SetupPlan } from './setup/setup-plan.js';
