import { Command } from 'commander';
import { REDACTED } from 'nestjs-snowflake/internal/core/errors/show-value';
import { UNKNOWN_SECRETS } from 'nestjs-snowflake/internal/core/errors/redaction';
import { EXIT, type ExitCode } from './frame/exit-code.js';
import { reportError } from './frame/report-error.js';
import { libraryVersion } from './settings/library-version.js';
import { asArgument } from './settings/range-text.js';
import type { Terminal } from './frame/terminal.js';

/** Adds one command to the program. Its action writes to the terminal, and sets the exit code there. */
type AddCommand = (program: Command, terminal: Terminal) => void;

type LoadCommand = () => Promise<AddCommand>;

/** Loads each command, in the order in which the help lists them. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  setup: async () => (await import('./commands/setup.js')).addSetup,
  decode: async () => (await import('./commands/decode.js')).addDecode,
  range: async () => (await import('./commands/range.js')).addRange,
  compose: async () => (await import('./commands/compose.js')).addCompose,
  layout: async () => (await import('./commands/layout.js')).addLayout,
  workers: async () => (await import('./commands/workers.js')).addWorkers,
  console: async () => (await import('./commands/console.js')).addConsole,
  init: async () => (await import('./commands/init.js')).addInit,
  doctor: async () => (await import('./commands/doctor.js')).addDoctor,
  sql: async () => (await import('./commands/sql.js')).addSql,
  completion: async () => (await import('./commands/completion.js')).addCompletion,
};
/** Describes all others. */
const NEEDS_ALL = 'completion';

/** Runs one command line. Resolves to the exit code; never rejects. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const program = programFor(terminal);
    for (const load of loadersFor(args)) (await load())(program, terminal);
    await program.parseAsync(args.map(asArgument), { from: 'user' });
    await terminal.flush();
    return terminal.exitCode;
  } catch (error) {
    return reportError(error, terminal);
  }
}

function programFor(terminal: Terminal): Command {
  return new Command('nestjs-snowflake-cli')
    .description(
      'Decode and compose Snowflake IDs, choose a bit layout, and inspect the store of worker IDs.',
    )
    .version(libraryVersion())
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
}

/** A command that runs loads no other one, which would double its startup time. The help, and the hint for a misspelling, need all. */
function loadersFor([name = '']: readonly string[]): readonly LoadCommand[] {
  const own = Object.hasOwn(COMMANDS, name) && name !== NEEDS_ALL ? COMMANDS[name] : undefined;
  return own ? [own] : Object.values(COMMANDS);
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
