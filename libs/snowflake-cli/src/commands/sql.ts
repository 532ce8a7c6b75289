import { Argument, type Command, Option } from 'commander';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { EXIT } from '../frame/exit-code.js';
import { withPackage } from '../frame/optional-package.js';
import type { Terminal } from '../frame/terminal.js';
import { DATA_SOURCE_FLAG, DATA_SOURCE_HELP, loadOrmOptions } from '../settings/orm-options.js';
import { type StepName, STEPS } from './sql/steps.js';
import { createStatements, type DatabaseName, DATABASES, type HolderName, HOLDERS } from './sql/tables.js';

interface SqlFlags {
  readonly dataSource?: string;
  readonly back?: true;
  readonly dialect?: DatabaseName;
  readonly for: HolderName;
  readonly table?: string;
}

const COMMAND = 'sql';
const TIMEOUT_MS = 30_000;

/** Adds `sql`. */
export function addSql(program: Command, terminal: Terminal): void {
  program
    .command(COMMAND)
    .description(
      'Print the SQL of the tables, or of a step from auto-increment to Snowflake keys. Changes nothing.',
    )
    .addArgument(
      new Argument('<what>', 'the tables, or a step of the migration guide').choices(['tables', ...STEPS]),
    )
    .addOption(
      new Option('--dialect <database>', 'tables: kind of the database').choices(Object.keys(DATABASES)),
    )
    .addOption(
      new Option('--for <what>', 'tables: what they store').choices(Object.keys(HOLDERS)).default('leases'),
    )
    .option('--table <name>', 'tables: name of the main table of leases or segments')
    .option(DATA_SOURCE_FLAG, `steps: ${DATA_SOURCE_HELP}`)
    .option('--back', 'steps: print the SQL that undoes the step; do so before you run the step')
    .action((what: StepName | 'tables', flags: SqlFlags) =>
      what === 'tables' ? printTables(flags, terminal) : printStep(what, flags, terminal),
    );
}

async function printTables({ dialect, for: holder, table }: SqlFlags, terminal: Terminal): Promise<void> {
  if (dialect === undefined) {
    const remedy = `Add --dialect and one of ${Object.keys(DATABASES).join(', ')}.`;
    throw new InvalidOptionError('--dialect', undefined, 'is missing', remedy);
  }
  printStatements(await createStatements({ database: dialect, holder, tableName: table }), terminal);
}

async function printStep(step: StepName, { dataSource, back }: SqlFlags, terminal: Terminal): Promise<void> {
  if (dataSource === undefined) {
    const remedy = 'Add --data-source FILE, which exports the DataSource of the app.';
    throw new InvalidOptionError('--data-source', undefined, 'is missing', remedy);
  }
  const options = await loadOrmOptions(dataSource);
  const { migrationOf } = await withPackage('typeorm', COMMAND, () => import('./sql/migration.js'));
  const migration = await migrationOf(options, TIMEOUT_MS);
  const statements = migration[step][back ? 'back' : 'forward'];
  if (statements.length === 0) {
    terminal.printError('Nothing to do: no column of this database needs this step.\n');
    terminal.exitCode = EXIT.unchanged;
    return;
  }
  const head = `-- ${back ? 'Undoes step' : 'Step'} "${step}". Run it in one session that stops at the first error.`;
  printStatements([head, ...statements], terminal);
}

function printStatements(statements: readonly string[], terminal: Terminal): void {
  for (const statement of statements) {
    terminal.print(statement.startsWith('--') ? `${statement}\n` : `${statement};\n`);
  }
}
