import { Argument, type Command } from 'commander';
import { EXIT } from '../frame/exit-code.js';
import { withPackage } from '../frame/optional-package.js';
import type { Terminal } from '../frame/terminal.js';
import { DATA_SOURCE_FLAG, DATA_SOURCE_HELP, loadOrmOptions } from '../settings/orm-options.js';
import { type StepName, STEPS } from './sql/steps.js';

interface SqlFlags {
  readonly dataSource: string;
  readonly back?: true;
}

const COMMAND = 'sql';
const TIMEOUT_MS = 30_000;

/** Adds `sql`. */
export function addSql(program: Command, terminal: Terminal): void {
  program
    .command(COMMAND)
    .description('Print the SQL that turns auto-increment keys into Snowflake keys. Changes nothing.')
    .addArgument(new Argument('<step>', 'step of the migration guide').choices(STEPS))
    .requiredOption(DATA_SOURCE_FLAG, DATA_SOURCE_HELP)
    .option('--back', 'the way back: print it before you run the step')
    .action(async (step: StepName, { dataSource, back }: SqlFlags) => {
      const options = await loadOrmOptions(dataSource);
      const { migrationOf } = await withPackage('typeorm', COMMAND, () => import('./sql/migration.js'));
      const migration = await migrationOf(options, TIMEOUT_MS);
      const statements = migration[step][back ? 'back' : 'forward'];
      if (statements.length === 0) {
        terminal.printError('Nothing to do: no column of this database needs this step.\n');
        terminal.exitCode = EXIT.unchanged;
        return;
      }
      const head = `-- ${back ? 'The way back from step' : 'Step'} "${step}". Run it in one session that stops at the first error.`;
      for (const statement of [head, ...statements]) {
        terminal.print(statement.startsWith('--') ? `${statement}\n` : `${statement};\n`);
      }
    });
}
