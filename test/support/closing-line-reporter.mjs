import { writeSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

let counts;
let failureLines = [];

/** The last thing a test run prints: one plain line that every CI can read. What failed stands above it, a line each. */
export function closingLine({ passed, failed, skipped }, exitCode) {
  // A run in which nothing ran, or which ended badly for another reason than a test, is no success.
  const sum = failed === 0 && (passed === 0 || exitCode !== 0) ? 1 : failed;
  return `${passed} passed, ${sum} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Vitest prints its own summary after every reporter has finished, so the line waits for the end of the process. */
process.on('exit', (exitCode) => {
  const ranNothingOnPurpose = counts === undefined && exitCode === 0; // vitest list, --help
  if (ranNothingOnPurpose) return;
  const line = closingLine(counts ?? { passed: 0, failed: 0, skipped: 0 }, exitCode);
  if (!line.includes(' 0 failed')) {
    process.exitCode = exitCode || 1;
    if (failureLines.length === 0)
      failureLines = [`failed: the run as a whole, with exit code ${process.exitCode}`];
  }
  writeSync(1, `${[...failureLines, line].join('\n')}\n`);
});

/** The tests, suites and files that failed; the latter two in a hook or while they load. */
function* failedParts(modules) {
  for (const module of modules) {
    for (const test of module.children.allTests('failed')) yield [module, test, test.result().errors];
    for (const part of [module, ...module.children.allSuites()])
      if (part.errors().length > 0) yield [module, part, part.errors()];
  }
}

function countsOf(modules, failed) {
  const sum = { passed: 0, failed, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state !== 'failed') sum[state === 'passed' ? 'passed' : 'skipped'] += 1;
    }
  }
  return sum;
}

/** One line on what failed: where, and the first line of the reason. */
function failure(where, [error]) {
  return stripVTControlCharacters(`failed: ${where}: ${error?.message?.split('\n')[0]}`);
}

export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    failureLines = [
      ...[...failedParts(modules)].map(([module, part, errors]) =>
        failure([module.relativeModuleId, part.fullName].filter(Boolean).join(' > '), errors),
      ),
      ...unhandledErrors.map((error) => failure('outside of a test', [error])),
    ];
    counts = countsOf(modules, failureLines.length);
  }
}
