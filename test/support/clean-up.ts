import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Registers something to do after the present test. */
export type CleanUp = (task: () => unknown) => void;

const WITHIN_MS = 120_000;

/** Returns a function that registers what to do after the present test. The last one is done first, also if the test fails. */
export function cleanUpAfterEach(): CleanUp {
  return cleanUpIn(afterEach);
}

/** Returns a function that registers what to do after all tests of a `describe`, or of a file. */
export function cleanUpAfterAll(): CleanUp {
  return cleanUpIn(afterAll);
}

function cleanUpIn(hook: (task: () => Promise<void>, withinMs: number) => void): CleanUp {
  const tasks: (() => unknown)[] = [];
  hook(async () => {
    for (const task of tasks.splice(0).reverse()) await task();
  }, WITHIN_MS);
  return (task) => void tasks.push(task);
}

/** Makes a folder of its own for files of tests. */
export function temporaryFolder(cleanUp: CleanUp): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-test-')));
  cleanUp(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
