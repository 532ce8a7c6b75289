import everything from '../../vitest.config.mjs';
import { sharedWorkers } from './shared-workers.mjs';

/** `npm run test:unit`: the specs beside the source. They start no server and no process, and need no build. */
const { globalSetup: _setup, ...test } = everything.test;

export default {
  ...everything,
  test: {
    ...test,
    ...sharedWorkers,
    include: ['{libs,apps}/*/src/**/*.spec.ts'],
    // A unit test waits for nothing outside of itself, so a broken mechanism fails soon.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
};
