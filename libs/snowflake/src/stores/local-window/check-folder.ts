import type { Clock } from '../../core/clock/clock.js';
import { InvalidOptionError } from '../../core/index.js';
import type { WindowFile } from './window-file.js';

/**
 * Checks the folder of the window. If other users may write to it, warns and does not use it: the start does not depend on
 * it.
 *
 * @param patienceMs how long the disk may take before a warning says what the start waits for
 * @throws InvalidOptionError if no window can be kept there
 */
export async function checkFolder(
  file: WindowFile,
  clock: Clock,
  patienceMs: number,
  warn: (message: string) => void,
): Promise<void> {
  const { path } = file;
  const slow = clock.schedule(patienceMs, () =>
    warn(
      `The folder of ${path} has not answered for ${patienceMs} ms. The start waits for it: check its disk or network mount.`,
    ),
  );
  try {
    const distrust = await file.checkFolder();
    if (!distrust) return;
    warn(`${path} ${distrust.problem}. No window is kept there or taken from there. ${distrust.remedy}`);
  } catch (error) {
    throw new InvalidOptionError(
      'localWindow.file',
      path,
      `cannot be kept there (${(error as Error).message})`,
      'Use a path in a folder that exists, that the process may write to, and that outlives it.',
    );
  } finally {
    slow.cancel();
  }
}
