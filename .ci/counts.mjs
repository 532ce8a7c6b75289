// Prints how many tests of a Jest report passed, failed and were skipped, and appends a line for each failure to a file.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { argv, cwd, stdout } from 'node:process';

const [report, failures] = argv.slice(2);
const run = JSON.parse(readFileSync(report, 'utf8'));

for (const { name, status, message, assertionResults } of run.testResults) {
  const file = relative(cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  const titles = failed.map((test) => `${test.fullName}: ${test.failureMessages[0]?.split('\n')[0]}`);
  // A file that doesn't load has no tests.
  if (status === 'failed' && failed.length === 0) titles.push(message.trim().split('\n', 3).join(' '));
  for (const title of titles) appendFileSync(failures, `failed: ${file} > ${title}\n`);
}
const failed = run.numFailedTests + run.numRuntimeErrorTestSuites;
stdout.write(`${run.numPassedTests} ${failed} ${run.numPendingTests + run.numTodoTests}\n`);
