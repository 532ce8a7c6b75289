/**
 * Runs specs with mutants in one process, which keeps Vitest and what it has transformed. Gets `{ mutant, specs, only }` as a message,
 * answers `progress` after each spec and at last `{ failure }`: the first test that fails, or undefined. A mutant exists in
 * memory only.
 */
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import unit from '../../tiers/unit.mjs';

let mutant;
/** @type {string | undefined} */
let failure;

const mutation = {
  name: 'mutation',
  enforce: 'pre',
  transform(text, id) {
    if (mutant?.path !== id) return undefined;
    return text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
  },
};

const reporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed') failure ??= test.fullName;
  },
  onTestSuiteResult(suite) {
    if (suite.errors().length > 0) failure ??= `${suite.fullName}: ${suite.errors()[0].message}`;
  },
  onTestModuleEnd(module) {
    if (module.errors().length > 0) failure ??= `${module.relativeModuleId}: ${module.errors()[0].message}`;
    process.send('progress');
  },
};

const vitest = await createVitest(
  'test',
  { watch: false, config: false, root: fileURLToPath(new URL('../../..', import.meta.url)) },
  {
    ...unit,
    plugins: [mutation],
    test: {
      ...unit.test,
      include: ['**/*.spec.ts'],
      // Threads end with their process when a mutant hangs.
      pool: 'threads',
      maxWorkers: 1,
      bail: 1,
      reporters: [reporter],
    },
  },
);
await vitest.standalone();

async function findFailure({ mutant: next, specs, only }) {
  for (const { path } of [mutant, next].filter(Boolean)) vitest.invalidateFile(path);
  [mutant, failure] = [next, undefined];
  if (only) vitest.setGlobalTestNamePattern(only);
  else vitest.resetGlobalTestNamePattern();
  const [project] = vitest.projects;
  const { unhandledErrors } = await vitest.runTestSpecifications(
    specs.map((path) => project.createSpecification(path)),
  );
  failure ??= unhandledErrors[0]?.message;
}

process.on('message', (order) => {
  findFailure(order).then(
    () => process.send({ failure }),
    (error) => process.send({ failure: `The run failed: ${error.stack}` }),
  );
});
process.send('ready');
