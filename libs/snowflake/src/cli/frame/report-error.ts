import { CommanderError } from 'commander';
import { InvalidOptionError, SnowflakeError } from '../../core/index.js';
import { safeReason } from '../../core/errors/foreign-error.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { OutputClosedError, type Terminal } from './terminal.js';

/** Writes an error for people, without its stack. Resolves to the exit code that it means. */
export async function reportError(error: unknown, terminal: Terminal): Promise<ExitCode> {
  if (error instanceof OutputClosedError) return terminal.exitCode;
  // The parser has written its message, or the help.
  if (!(error instanceof CommanderError)) terminal.printError(`${errorText(error)}\n`);
  await flushQuietly(terminal);
  return exitCodeOf(error);
}

async function flushQuietly(terminal: Terminal): Promise<void> {
  try {
    await terminal.flush();
  } catch {
    // The error of the output must not hide the first one.
  }
}

/** Returns an error as the lines that people see: what happened, what to do, and the code of the library. */
export function errorText(error: unknown): string {
  if (error instanceof SnowflakeError) return `error: ${error.message} [${error.code}]`;
  return `error: ${safeReason(error)}`;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  return error instanceof InvalidOptionError ? EXIT.usage : EXIT.failure;
}
