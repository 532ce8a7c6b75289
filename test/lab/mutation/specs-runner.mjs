/**
 * Runs specs with mutants in one process, which keeps Vitest and what it has transformed. Gets `{ mutant, specs, only }` as a message,
 * answers `progress` after each spec and at last `{ failure }`: the first test that fails, or undefined. A mutant exists in
 * memory only.
 */
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import unit from '../../tiers/unit.mjs';

let mutant;

const mutation = {
  name: 'mutation',
  enforce: 'pre',
  transform(text, id) {
    if (mutant?.path !== id) return undefined;
    return text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
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
      reporters: [{ onTestModuleEnd: () => process.send('progress') }],
    },
  },
);
await vitest.standalone();

/** @returns {Promise<string | undefined>} */
async function firstFailure({ mutant: next, specs, only }) {
  for (const { path } of [mutant, next].filter(Boolean)) vitest.invalidateFile(path);
  mutant = next;
  if (only) vitest.setGlobalTestNamePattern(only);
  else vitest.resetGlobalTestNamePattern();
  const project = vitest.projects[0];
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    specs.map((path) => project.createSpecification(path)),
  );
  for (const module of testModules) {
    for (const test of module.children.allTests('failed')) return test.fullName;
    for (const part of [module, ...module.children.allSuites()])
      if (part.errors().length > 0) return `${module.relativeModuleId}: ${part.errors()[0].message}`;
  }
  return unhandledErrors[0]?.message;
}

process.on('message', (order) => {
  firstFailure(order).then(
    (failure) => process.send({ failure }),
    (error) => process.send({ failure: `The run failed: ${error.stack}` }),
  );
});
process.send('ready');
