import { runCommandLine } from './command-line.js';
import { ProcessTerminal } from './frame/process-terminal.js';
import { reportError } from './frame/report-error.js';

const terminal = new ProcessTerminal();

async function exitAfter(error: unknown): Promise<void> {
  process.exit(await reportError(error, terminal));
}

// The options of an app can open connections, whose errors occur outside of any command.
process.once('uncaughtException', (error) => void exitAfter(error));
// Those connections would also keep the process alive.
process.exit(await runCommandLine(process.argv.slice(2), terminal));
