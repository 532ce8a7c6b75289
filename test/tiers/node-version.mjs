import everything from '../../vitest.config.mjs';
import { sharedWorkers } from './shared-workers.mjs';

/** What the proofs run under other versions of Node: the specs that touch the runtime and Nest. */
export default {
  ...everything,
  test: {
    ...everything.test,
    ...sharedWorkers,
    include: ['{libs,apps}/*/src/**/*.spec.ts', 'test/nest/*.spec.ts', 'test/packaging/browsers.spec.ts'],
  },
};
