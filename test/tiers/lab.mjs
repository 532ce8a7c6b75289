import everything from '../../vitest.config.mjs';
import { sharedWorkers } from './shared-workers.mjs';

/** `npm run test:lab`: the simulation, the model, faults on real processes, apps that install the library, and long runs. */
export default {
  ...everything,
  test: {
    ...everything.test,
    ...sharedWorkers,
    // They wait for servers and clocks as much as they compute.
    maxWorkers: 3,
    include: ['test/lab/**/*.spec.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    globalSetup: 'test/support/lab-setup.mjs',
  },
};
