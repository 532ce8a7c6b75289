export { fakeIdMaker } from './testing/fake-id-maker.js';
export type { FakeIdMakerOptions } from './testing/fake-options.js';
export {
  SnowflakeTestingModule,
  type SnowflakeTestingModuleOptions,
} from './testing/snowflake-testing.module.js';
