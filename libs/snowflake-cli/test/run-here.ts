import { runCommandLine } from '../src/command-line.js';
import { MemoryTerminal } from './memory-terminal.js';
import { type CliEnd, NOW } from './run-cli.js';

const NOW_MS = Date.parse(NOW);

/**
 * Runs `nestjs-snowflake-cli` with these arguments in this process. Much cheaper than a process of its own.
 *
 * @param input the lines of the standard input
 * @param now which time it is; by default {@link NOW}
 */
export async function runHere(
  args: readonly string[],
  input?: readonly string[],
  now: () => number = () => NOW_MS,
): Promise<CliEnd> {
  const terminal = new MemoryTerminal(input, now);
  const code = await runCommandLine(args, terminal);
  return { code, stdout: terminal.output, stderr: terminal.errors };
}
