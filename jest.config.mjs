import './test/support/closing-line-reporter.mjs';
import { swcOptions } from './test/support/swc-options.mjs';

const librarySource = '<rootDir>/libs/snowflake/src';

export default {
  testEnvironment: 'node',
  testMatch: ['libs', 'apps', 'test'].map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
  // Without this the workspace link in node_modules and the built packages would count as modules twice.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/libs/[^/]+/dist/'],
  // The apps there run their specs themselves.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/lab/consumers/[^/]+/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  moduleNameMapper: {
    '^nestjs-snowflake$': `${librarySource}/index.ts`,
    '^nestjs-snowflake/(redis|sql)$': `${librarySource}/stores/$1/index.ts`,
    '^nestjs-snowflake/codecs$': `${librarySource}/core/codecs/index.ts`,
    '^nestjs-snowflake/(core|segments|standalone)$': `${librarySource}/$1.ts`,
    '^nestjs-snowflake/(graphql|http|obfuscation|opentelemetry|prometheus|series|store-testing|swagger|terminus|testing|typeorm|validation)$': `${librarySource}/$1/index.ts`,
    '^nestjs-snowflake-console$': '<rootDir>/libs/snowflake-console/src/index.ts',
    '^nestjs-snowflake-console/server$': '<rootDir>/libs/snowflake-console/src/server.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.mjs'],
  // A test waits for states, not for time. This bound is for what never comes; nobody raises it.
  testTimeout: 30_000,
  maxWorkers: 2,
};
