import everything from '../../jest.config.mjs';

/** Specs that take long, and those of whole apps that install the library. */
export const PROOFS = ['\\.proof\\.spec\\.ts$', '<rootDir>/test/consumers/'];

/** `npm run test:proof`: the proofs, and all runs of the simulation. */
export default {
  ...everything,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/{libs,apps,test}/**/*.proof.spec.ts',
    '<rootDir>/test/consumers/*.spec.ts',
    // Those of every change are in here too, and now try all seeds.
    '<rootDir>/test/simulation/*.spec.ts',
  ],
  globalSetup: '<rootDir>/test/support/proof-setup.mjs',
};
