import type { Clock } from '../../core/clock/clock.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { WindowFile } from './window-file.js';

/**
 * Checks the folder of the window. If other users may write to it, warns and continues without it: the start does not
 * depend on it.
 *
 * @param warnAfterMs how long the disk may take before a warning says that the start waits for it
 * @throws InvalidOptionError if no window can be kept there
 */
export async function checkFolder(
  file: WindowFile,
  clock: Clock,
  warnAfterMs: number,
  warn: (message: string) => void,
): Promise<void> {
  const { path } = file;
  const slow = clock.schedule(warnAfterMs, () =>
    warn(
      `The folder of ${path} has not answered for ${warnAfterMs} ms. Startup waits for it: check its disk or network mount.`,
    ),
  );
  try {
    const distrust = await file.checkFolder();
    if (!distrust) return;
    warn(`${path} ${distrust.problem}. No window is kept or used there. ${distrust.remedy}`);
  } catch (error) {
    throw new InvalidOptionError(
      'localWindow.file',
      path,
      `cannot be written (${(error as Error).message})`,
      'Use a path in an existing folder that the process may write to and that outlives the process.',
    );
  } finally {
    slow.cancel();
  }
}
