import { writeSync } from 'node:fs';

let counts;

/** The last thing a test run prints: one plain line that every CI can read. */
export function closingLine({ passed, failed, skipped }, exitCode) {
  // A run in which nothing ran, or which ended badly for another reason than a test, is no success.
  const failures = failed === 0 && (passed === 0 || exitCode !== 0) ? 1 : failed;
  return `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Vitest prints its own summary after every reporter has finished, so the line waits for the end of the process. */
process.on('exit', (exitCode) => {
  const ranNothingOnPurpose = counts === undefined && exitCode === 0; // vitest list, --help
  if (ranNothingOnPurpose) return;
  const line = closingLine(counts ?? { passed: 0, failed: 0, skipped: 0 }, exitCode);
  if (!line.includes(' 0 failed')) process.exitCode = exitCode || 1;
  writeSync(1, `${line}\n`);
});

/** A file or a suite that fails by itself, in a hook or while it loads, counts as one failure. */
function countsOf(modules, unhandledErrors) {
  const sum = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      sum[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1;
    }
    for (const part of [module, ...module.children.allSuites()])
      if (part.errors().length > 0) sum.failed += 1;
  }
  return sum;
}

export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    counts = countsOf(modules, unhandledErrors);
  }
}
