import { entryPointsOf, PACKAGE_FOLDERS } from './test/support/entry-points.mjs';
import { swcOptions } from './test/support/swc-options.mjs';

// Jest sets it to test. There, the library trusts a store on this machine, and these specs look for the leases that one loses.
delete process.env.NODE_ENV;

/** The entry points of the packages, with their sources instead of the build. */
const SOURCES = PACKAGE_FOLDERS.flatMap(entryPointsOf).map(({ name, source }) => [
  `^${name}$`,
  `<rootDir>/${source}`,
]);
const BESIDE_THE_SOURCE = ['<rootDir>/{libs,apps}/*/src/**/*.spec.ts'];

const common = {
  testEnvironment: 'node',
  // The built packages, and the links to them in node_modules, would count as modules twice.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/libs/[^/]+/dist/'],
  // The apps there run their specs themselves.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/lab/consumers/[^/]+/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  moduleNameMapper: {
    ...Object.fromEntries(SOURCES),
    '^nestjs-(snowflake[a-z-]*)/internal/(.*)$': '<rootDir>/libs/$1/src/$2.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

const withServers = { globalTeardown: '<rootDir>/test/support/global-teardown.mjs' };

/**
 * `npm test` runs the first two projects, `npm run test:unit` the first one, and `npm run test:lab` the third one. Their scripts start
 * more workers than there are cores, since these specs wait for servers and clocks as much as they compute.
 */
export default {
  projects: [
    {
      ...common,
      displayName: 'unit',
      roots: ['<rootDir>/libs', '<rootDir>/apps'],
      testMatch: BESIDE_THE_SOURCE,
    },
    {
      ...common,
      ...withServers,
      displayName: 'integration',
      testMatch: ['<rootDir>/{libs,apps}/*/test/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: [
        ...common.testPathIgnorePatterns,
        '<rootDir>/test/lab/',
        '<rootDir>/test/site/',
      ],
      globalSetup: '<rootDir>/test/support/global-setup.mjs',
    },
    {
      ...common,
      ...withServers,
      displayName: 'lab',
      testMatch: ['<rootDir>/test/lab/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/lab-setup.mjs',
      setupFilesAfterEnv: ['<rootDir>/test/lab/timeout.mjs'],
    },
    // After `npm run build --prefix site`.
    { ...common, displayName: 'site', testMatch: ['<rootDir>/test/site/**/*.spec.ts'] },
  ],
  // A test waits for states, not for time. This bound is for what never comes; nobody raises it.
  testTimeout: 30_000,
  // What the ES modules of a spec take stays in use until the worker ends.
  workerIdleMemoryLimit: '150MB',
};
