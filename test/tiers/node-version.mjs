import everything from '../../jest.config.mjs';

/** What the proofs run under other versions of Node: the specs that touch the runtime, Nest and the package. */
export default {
  ...everything,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/libs/*/src/**/*.spec.ts',
    '<rootDir>/apps/*/src/**/*.spec.ts',
    '<rootDir>/test/nest/*.spec.ts',
    '<rootDir>/test/packaging/{package,browsers,release}*.spec.ts',
  ],
};
