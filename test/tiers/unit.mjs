import everything from '../../jest.config.mjs';

/** `npm run test:unit`: the specs beside the source. They start no server and no process, and need no build. */
const { globalSetup: _setup, globalTeardown: _teardown, ...config } = everything;

export default {
  ...config,
  rootDir: '../..',
  // Does not look for specs elsewhere.
  testTimeout: 10_000,
  roots: ['<rootDir>/libs', '<rootDir>/apps'],
  testMatch: ['<rootDir>/libs/*/src/**/*.spec.ts', '<rootDir>/apps/*/src/**/*.spec.ts'],
};
