import { CommanderError } from 'commander';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { EXIT, type ExitCode } from './exit-code.js';
import { OutputClosedError, type Terminal } from './terminal.js';

/** Prints an error without its stack. Resolves to the exit code for it. */
export async function reportError(error: unknown, terminal: Terminal): Promise<ExitCode> {
  if (error instanceof OutputClosedError) return terminal.exitCode;
  // The parser has already printed its message, or the help.
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

/**
 * Returns the printed form of an error: what happened, what to do, and the code of the library.
 *
 * @param place such as `line 3: `
 */
export function errorText(error: unknown, place = ''): string {
  const code = codeOf(error);
  return `error: ${place}${reasonOf(error)}${code === undefined ? '' : ` [${code}]`}`;
}

/** Returns the message of an error. Messages of the library contain no secrets, but can contain example URLs. */
export function reasonOf(error: unknown): string {
  return codeOf(error) !== undefined && error instanceof Error ? error.message : safeReason(error);
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
  return codeOf(error) === 'SNOWFLAKE_INVALID_OPTION' ? EXIT.usage : EXIT.failure;
}

/** Also recognizes the errors of another copy of the library, which the options of an app can load. */
function codeOf(error: unknown): string | undefined {
  const code: unknown = Reflect.get(Object(error), 'code');
  return typeof code === 'string' && code.startsWith('SNOWFLAKE_') ? code : undefined;
}
