import { runCommandLine } from '../src/command-line.js';
import { MemoryTerminal } from './memory-terminal.js';
import { type CliEnd, NOW } from './run-cli.js';

const NOW_MS = Date.parse(NOW);

/**
 * Runs `nestjs-snowflake` with these arguments in this process, at the time {@link NOW}. Much cheaper than a process of its own.
 *
 * @param input the lines of the standard input
 */
export async function runHere(args: readonly string[], input?: readonly string[]): Promise<CliEnd> {
  const terminal = new MemoryTerminal(input, () => NOW_MS);
  const code = await runCommandLine(args, terminal);
  return { code, stdout: terminal.output, stderr: terminal.errors };
}
