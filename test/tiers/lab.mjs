import everything from '../../jest.config.mjs';

/** `npm run test:lab`: the simulation, the model, faults on real processes, apps that install the library, and long runs. */
export default {
  ...everything,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/lab/**/*.spec.ts'],
  testTimeout: 180_000,
  globalSetup: '<rootDir>/test/support/lab-setup.mjs',
};
