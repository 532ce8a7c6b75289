import { systemClock } from 'nestjs-snowflake/core';
import type { Terminal } from './terminal.js';

const AFTER_MS = 1000;

/** Resolves as `work` does. If it takes longer than a second, tells a person what the command waits for. Scripts get no such note. */
export async function withNote<Result>(
  terminal: Pick<Terminal, 'isErrorInteractive' | 'printError'> | undefined,
  text: string,
  work: Promise<Result>,
): Promise<Result> {
  if (!terminal?.isErrorInteractive) return work;
  const note = systemClock.schedule(AFTER_MS, () => terminal.printError(`${text}\n`));
  try {
    return await work;
  } finally {
    note.cancel();
  }
}
