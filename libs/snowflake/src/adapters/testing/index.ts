/**
 * ID makers and a module for tests, which need no store and return predictable IDs.
 *
 * @module
 */
export { fakeIdMaker } from './fake-id-maker.js';
export type { FakeIdMakerOptions } from './fake-options.js';
export { SnowflakeTestingModule, type SnowflakeTestingModuleOptions } from './snowflake-testing.module.js';
