// For nestjs-snowflake-cli: what `nest add nestjs-snowflake` does, without the schematics.
export { type AppFiles, NO_SOURCES } from './setup/app-files.js';
export type { Compiler } from './setup/compiler.js';
export { compilerOf } from './setup/host/app-compiler.js';
export { refusalFor, uncommittedIn } from './setup/host/git-changes.js';
export {
  checkedNamespace,
  type Decisions,
  type SetupRequest,
  type StoreName,
  STORES,
} from './setup/settings.js';
export { planSetup, setupDefaults } from './setup/setup.js';
export type { FileChange, SetupByHand, SetupPlan } from './setup/setup-plan.js';
