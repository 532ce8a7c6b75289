import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addCompletion } from './commands/completion.js';
import { addCompose } from './commands/compose.js';
import { addConsole } from './commands/console.js';
import { addDecode } from './commands/decode.js';
import { addDoctor } from './commands/doctor.js';
import { addInit } from './commands/init.js';
import { addLayout } from './commands/layout.js';
import { addRange } from './commands/range.js';
import { addSql } from './commands/sql.js';
import { addWorkers } from './commands/workers.js';
import { REDACTED, UNKNOWN_SECRETS } from 'nestjs-snowflake/kit';
import { EXIT, type ExitCode } from './frame/exit-code.js';
import { reportError } from './frame/report-error.js';
import { asArgument } from './settings/range-text.js';
import type { Terminal } from './frame/terminal.js';

/** Adds one command to the program. Its action writes to the terminal, and sets the exit code there. */
type AddCommand = (program: Command, terminal: Terminal) => void;

/** In the order in which the help lists them. */
const COMMANDS: readonly AddCommand[] = [
  addDecode,
  addRange,
  addCompose,
  addLayout,
  addWorkers,
  addConsole,
  addInit,
  addDoctor,
  addSql,
  addCompletion,
];

/** Runs one command line. Resolves to the exit code; never rejects. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await programFor(terminal).parseAsync(args.map(asArgument), { from: 'user' });
    await terminal.flush();
    return terminal.exitCode;
  } catch (error) {
    return reportError(error, terminal);
  }
}

function programFor(terminal: Terminal): Command {
  const program = new Command('nestjs-snowflake')
    .description(
      'Decode and compose Snowflake IDs, choose a bit layout, and inspect the store of worker IDs.',
    )
    .version(ownVersion())
    .addHelpText(
      'after',
      `\nExit codes: ${EXIT.fine} success, ${EXIT.failure} finding or failure, ${EXIT.usage} wrong usage, ` +
        `${EXIT.unchanged} nothing to do.`,
    )
    .showHelpAfterError('Add --help to see the usage.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text),
      writeErr: (text) => terminal.printError(withoutValues(text)),
    });
  for (const addCommand of COMMANDS) addCommand(program, terminal);
  return program;
}

const UNKNOWN_WORD = /^(error: unknown (?:option|command) )'([^]*)'/;

/** Redacts whatever could be a password in a message of the parser, such as the value of an unknown option. */
function withoutValues(message: string): string {
  if (!message.startsWith('error:')) return message;
  return UNKNOWN_SECRETS.clean(message).replace(
    UNKNOWN_WORD,
    (_, start: string, word: string) => `${start}'${/^[\w-]+(?==|$)/.exec(word)?.[0] ?? REDACTED}'`,
  );
}

/** Finds the manifest by the name of the package, because its relative path differs between sources and build. */
function ownVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('nestjs-snowflake/package.json');
  return String(Reflect.get(Object(manifest), 'version'));
}
