import { writeSync } from 'node:fs';

let results;

/** The last thing a test run prints: one plain line that every CI can read. */
export function closingLine(run, exitCode) {
  const passed = run?.numPassedTests ?? 0;
  const skipped = (run?.numPendingTests ?? 0) + (run?.numTodoTests ?? 0);
  let failed = (run?.numFailedTests ?? 0) + (run?.numRuntimeErrorTestSuites ?? 0);
  // A run in which nothing ran, or which ended badly for another reason than a test, is no success.
  if (failed === 0 && (passed === 0 || exitCode !== 0)) failed = 1;
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Jest prints its own summary after every reporter has finished, so the line waits for the end of the process. */
process.on('exit', (exitCode) => {
  const ranNothingOnPurpose = results === undefined && exitCode === 0; // --listTests, --showConfig, --help
  if (ranNothingOnPurpose) return;
  const line = closingLine(results, exitCode);
  if (!line.includes(' 0 failed')) process.exitCode = exitCode || 1;
  writeSync(1, `${line}\n`);
});

export default class ClosingLineReporter {
  onRunComplete(_contexts, run) {
    results = run;
  }
}
