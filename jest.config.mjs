import { readdirSync, readFileSync } from 'node:fs';
import './test/support/closing-line-reporter.mjs';
import { swcOptions } from './test/support/swc-options.mjs';

const PACKAGES = readdirSync(new URL('libs', import.meta.url)).map((name) => `libs/${name}`);

/** The entry points of a package, with their sources instead of the build. */
function sourcesOf(folder) {
  const manifest = JSON.parse(readFileSync(new URL(`${folder}/package.json`, import.meta.url), 'utf8'));
  return Object.entries(manifest.exports).flatMap(([key, target]) => {
    const built = target.import?.default;
    if (built === undefined) return [];
    const source = built.replace('./dist/esm/', 'src/').replace(/\.js$/, '.ts');
    return [[`^${manifest.name}${key.slice(1)}$`, `<rootDir>/${folder}/${source}`]];
  });
}

export default {
  testEnvironment: 'node',
  testMatch: ['libs', 'apps', 'test'].map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
  // Without this the workspace link in node_modules and the built packages would count as modules twice.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/libs/[^/]+/dist/'],
  // The apps there run their specs themselves.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/lab/consumers/[^/]+/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  moduleNameMapper: {
    ...Object.fromEntries(PACKAGES.flatMap(sourcesOf)),
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.mjs'],
  // A test waits for states, not for time. This bound is for what never comes; nobody raises it.
  testTimeout: 30_000,
  maxWorkers: 2,
};
