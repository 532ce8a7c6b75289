/**
 * Runs specs with mutants in one process, which keeps Jest and its file map loaded. Gets `{ mutant, specs, only }` as a message,
 * answers `progress` after each spec and at last
 * `{ failure }`: the first test that fails, or undefined.
 */
import { readConfig } from 'jest-config';
import TestRunner from 'jest-runner';
import jestRuntime from 'jest-runtime';
import { fileURLToPath } from 'node:url';
import unit from '../../tiers/unit.mjs';
import { swcOptions } from '../../support/swc-options.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A test that waits for what a mutant prevents. */
const TEST_TIMEOUT_MS = 10_000;

const { globalConfig, projectConfig } = await readConfig(
  { _: [], $0: '', watchman: false },
  {
    ...unit,
    rootDir: ROOT,
    roots: ['<rootDir>/libs', '<rootDir>/test/integration'],
    testMatch: ['<rootDir>/**/*.spec.ts'],
    reporters: [],
    transform: { '^.+\\.ts$': [fileURLToPath(new URL('transform.mjs', import.meta.url)), swcOptions] },
  },
  false,
  ROOT,
);
const context = await jestRuntime.createContext(
  { ...projectConfig, testTimeout: TEST_TIMEOUT_MS },
  { console, maxWorkers: 1, watch: false, watchman: false },
);

/** @returns {Promise<string | undefined>} */
async function firstFailure({ mutant, specs, only }) {
  let failure;
  const config = { ...context.config, globals: { ...context.config.globals, mutant } };
  const runner = new TestRunner(
    { ...globalConfig, testTimeout: TEST_TIMEOUT_MS, silent: true, testNamePattern: only },
    {},
  );
  runner.on('test-file-success', ([, { testResults, testExecError, testFilePath }]) => {
    process.send('progress');
    const failed = testResults.find(({ status }) => status === 'failed');
    if (failed || testExecError) failure ??= failed?.fullName ?? `${testFilePath}: ${testExecError.message}`;
  });
  runner.on('test-file-failure', ([{ path }, error]) => (failure ??= `${path}: ${error.message}`));
  const watcher = { isInterrupted: () => failure !== undefined, isWatchMode: () => false };
  const tests = specs.map((path) => ({ path, context: { ...context, config } }));
  await runner.runTests(tests, watcher, { serial: true });
  return failure;
}

process.on('message', (order) => {
  firstFailure(order).then(
    (failure) => process.send({ failure }),
    (error) => process.send({ failure: `The run failed: ${error.stack}` }),
  );
});
process.send('ready');
