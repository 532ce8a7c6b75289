import everything from '../../jest.config.mjs';

/** `npm run test:unit`: the specs beside the source. They start no server and no process, and need no build. */
const { globalSetup: _setup, globalTeardown: _teardown, ...config } = everything;

export default {
  ...config,
  rootDir: '../..',
  // A unit test waits for nothing outside of itself, so a broken mechanism fails soon.
  testTimeout: 10_000,
  // Does not look for specs elsewhere.
  roots: ['<rootDir>/libs', '<rootDir>/apps'],
  testMatch: ['<rootDir>/libs/*/src/**/*.spec.ts', '<rootDir>/apps/*/src/**/*.spec.ts'],
};
