import { systemClock } from 'nestjs-snowflake/core';
import type { Terminal } from './terminal.js';

const SECOND_MS = 1000;
/** Moves to the start of the line, and erases it. */
const OVER_LINE = '\r\u001B[K';

/**
 * Resolves as `work` does. If it takes longer than a second, tells a person what the command waits for, and counts down until it gives up.
 * Scripts get no such note.
 *
 * @param timeoutMs when `work` ends at the latest, in milliseconds; without it, nothing is counted
 */
export async function withNote<Result>(
  terminal: Pick<Terminal, 'isErrorInteractive' | 'printError'> | undefined,
  text: string,
  work: Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  if (!terminal?.isErrorInteractive) return work;
  let isShown = false;
  const countFrom = (leftMs: number) =>
    systemClock.schedule(SECOND_MS, () => {
      isShown = true;
      const left = Math.ceil(leftMs / SECOND_MS);
      terminal.printError(timeoutMs === undefined ? text : `${OVER_LINE}${text} ${left} s left`);
      if (left > 0 && timeoutMs !== undefined) next = countFrom(leftMs - SECOND_MS);
    });
  let next = countFrom((timeoutMs ?? 0) - SECOND_MS);
  try {
    return await work;
  } finally {
    next.cancel();
    if (isShown) terminal.printError('\n');
  }
}
