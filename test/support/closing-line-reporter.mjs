import { writeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const count = { passed: 0, skipped: 0 };
/** A line for each failure. Their number is the number of failures. */
const failures = [];
let hasRun = false;

/**
 * The last thing a test run prints: a line for each failure, and one plain line that every CI can read. Vitest prints its own
 * summary after every reporter has finished, so they wait for the end of the process.
 */
process.on('exit', (exitCode) => {
  const ranNothingOnPurpose = !hasRun && exitCode === 0; // vitest list, --help
  if (ranNothingOnPurpose) return;
  // A run in which nothing ran, or which ended badly for another reason than a test, is no success.
  if (failures.length === 0 && (count.passed === 0 || exitCode !== 0))
    failures.push(`failed: the run as a whole, with exit code ${exitCode || 1}`);
  if (failures.length > 0) process.exitCode = exitCode || 1;
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  writeSync(1, [...failures, `${count.passed} passed, ${failures.length} failed${skipped}\n`].join('\n'));
});

/** Where it failed, and the first line of the reason. */
function addFailure(where, [error]) {
  failures.push(stripVTControlCharacters(`failed: ${where}: ${error?.message?.split('\n')[0]}`));
}

/** A file or a suite that fails by itself, in a hook or while it loads, counts as one failure. */
function countModule(module) {
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'failed') addFailure(`${module.relativeModuleId} > ${test.fullName}`, errors);
    else count[state === 'passed' ? 'passed' : 'skipped'] += 1;
  }
  if (module.errors().length > 0) addFailure(module.relativeModuleId, module.errors());
  for (const suite of module.children.allSuites())
    if (suite.errors().length > 0)
      addFailure(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors());
}

export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    hasRun = true;
    for (const module of modules) countModule(module);
    for (const error of unhandledErrors) addFailure('outside of a test', [error]);
  }
}
