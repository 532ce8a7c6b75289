import everything from '../../vitest.config.mjs';
import { sharedWorkers } from './shared-workers.mjs';

/** Whole apps, in which Nest's packages collect the entities and types of everything in the process. */
const APPS = ['apps/*/test/**/*.spec.ts', 'test/docs/**/*.spec.ts'];

const { include, exclude: notOurs, ...test } = everything.test;
const exclude = [...notOurs, 'test/lab/**'];

/** `npm test`: what every change must pass, which is everything but the lab. */
export default {
  ...everything,
  test: {
    ...test,
    // They wait for servers and clocks as much as they compute.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'apps', include: APPS, exclude } },
      { extends: true, test: { name: 'specs', include, exclude: [...exclude, ...APPS], ...sharedWorkers } },
    ],
  },
};
